// What the brokers answer to requests that unmodified clients hardly ever make, seen through our own wire client and through
// bare sockets.
import { connect as dial, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/targets/target.ts';
import type { Connection } from '../../src/wire/connection.ts';
import { decodeResponseFrame, encodeRequestFrame, type ResponseBody } from '../../src/wire/protocol.ts';
import { decodeRecordBatches } from '../../src/wire/record-batch.ts';
import { batchOf, connect, createTopic, type RunningCluster, startCluster } from './running-cluster.ts';

const TOPIC = 'wire';
const options = { deadlineMs: 5000 };

let cluster: RunningCluster;
let leader: Connection;
let other: Connection;
let leaderAddress: Address;

beforeAll(async () => {
  cluster = await startCluster();
  await createTopic(cluster, TOPIC, 1);
  const { brokers } = cluster.target;
  const asked = await connect(brokers[0]!.direct);
  const metadata = await asked.request('Metadata', { topics: [{ name: TOPIC }] }, options);
  asked.close();
  const leaderId = metadata.topics[0]?.partitions[0]?.leaderId;
  leaderAddress = brokers.find((broker) => broker.id === leaderId)!.direct;
  leader = await connect(leaderAddress);
  other = await connect(brokers.find((broker) => broker.id !== leaderId)!.direct);
});
afterAll(async () => {
  leader.close();
  other.close();
  await cluster[Symbol.asyncDispose]();
});

type Produced = ResponseBody<'Produce'>['responses'][number]['partitionResponses'][number];

const produce = async (
  records: Buffer | null,
  changes: { acks?: number; index?: number; topic?: string; transactionalId?: string } = {},
  connection = leader,
): Promise<Produced | undefined> => {
  const { acks = -1, index = 0, topic = TOPIC, transactionalId = null } = changes;
  const topicData = [{ name: topic, partitionData: [{ index, records }] }];
  const answer = await connection.request('Produce', { acks, timeoutMs: 3000, transactionalId, topicData }, options);
  return answer.responses[0]?.partitionResponses[0];
};

const fetchAt = async (offset: number, maxWaitMs = 10, connection = leader) => {
  const partitions = [{ partition: 0, fetchOffset: offset, partitionMaxBytes: 1_000_000 }];
  const body = { maxWaitMs, minBytes: 1, topics: [{ topic: TOPIC, partitions }] };
  return (await connection.request('Fetch', body, options)).responses[0]?.partitions[0];
};

/** Sends raw bytes on a connection of their own; resolves with what came back when the broker closes or `bytes` are there. */
const raw = async (
  frames: readonly Buffer[],
  wantedBytes = Infinity,
): Promise<{ readonly bytes: Buffer; readonly closed: boolean }> => {
  const socket: Socket = dial(leaderAddress);
  const chunks: Buffer[] = [];
  const size = (): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return await new Promise((resolve) => {
    const end = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ bytes: Buffer.concat(chunks), closed });
    };
    const timer = setTimeout(() => end(false), 3000);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (size() >= wantedBytes) end(false);
    });
    socket.on('close', () => end(true));
    socket.on('error', () => undefined);
    for (const frame of frames) socket.write(frame);
  });
};

describe('produce', () => {
  it('answers pipelined requests in order, with offsets in that order', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await produce(batchOf(3))));
    const first = answers[0]?.baseOffset ?? 0;
    expect(answers.map((answer) => answer?.baseOffset)).toEqual(Array.from({ length: 10 }, (_, i) => first + 3 * i));
  });

  it('answers a repeated idempotent batch with its first offset, and refuses a gap and an old epoch', async () => {
    const identity = { producerId: 900_001, producerEpoch: 1 };
    const first = await produce(batchOf(5, { ...identity, baseSequence: 0 }));
    expect(await produce(batchOf(5, { ...identity, baseSequence: 0 }))).toMatchObject({
      errorCode: 0,
      baseOffset: first?.baseOffset,
    });
    expect((await produce(batchOf(5, { ...identity, baseSequence: 11 })))?.errorCode).toBe(45);
    expect((await produce(batchOf(5, { ...identity, producerEpoch: 0, baseSequence: 0 })))?.errorCode).toBe(47);
  });

  it('refuses what must not be stored, each with its code', async () => {
    const damaged = batchOf(3);
    damaged[damaged.length - 1]! ^= 1;
    const twice = Buffer.concat([batchOf(1), batchOf(1)]);
    const miscounted = batchOf(3);
    miscounted.writeInt32BE(2, 57);
    expect((await produce(damaged))?.errorCode).toBe(2);
    expect((await produce(miscounted))?.errorCode).toBe(2);
    expect((await produce(twice))?.errorCode).toBe(87);
    expect((await produce(null))?.errorCode).toBe(87);
    expect((await produce(batchOf(60_000)))?.errorCode).toBe(10);
    expect((await produce(batchOf(1), { acks: 2 }))?.errorCode).toBe(21);
    expect((await produce(batchOf(1), { transactionalId: 'tx' }))?.errorCode).toBe(53);
    expect((await produce(batchOf(1), { topic: 'nowhere' }))?.errorCode).toBe(3);
    expect((await produce(batchOf(1), { index: 9 }))?.errorCode).toBe(3);
  });

  it('points to the leader when it is somebody else', async () => {
    const answer = await produce(batchOf(1), {}, other);
    expect(answer?.errorCode).toBe(6);
    expect(answer?.currentLeader.leaderId).toBeGreaterThan(0);
    expect(answer?.currentLeader.leaderEpoch).toBeGreaterThan(0);
  });

  it('answers nothing with acks=0, and stores the records all the same', async () => {
    const before = (await produce(batchOf(1)))?.baseOffset ?? 0;
    const topicData = [{ name: TOPIC, partitionData: [{ index: 0, records: batchOf(4) }] }];
    const silent = encodeRequestFrame(
      'Produce',
      7,
      { correlationId: 1, clientId: null },
      { acks: 0, timeoutMs: 3000, topicData },
    );
    const asked = encodeRequestFrame('Metadata', 1, { correlationId: 2, clientId: null }, { topics: [] });
    const { bytes } = await raw([silent, asked], 8);
    expect(bytes.readInt32BE(4)).toBe(2);
    expect((await produce(batchOf(1)))?.baseOffset).toBe(before + 5);
  });
});

describe('fetch', () => {
  it('gives whole batches from any offset within them, with the epoch of their leader', async () => {
    const base = (await produce(batchOf(10)))?.baseOffset ?? 0;
    const answer = await fetchAt(base + 4);
    const [batch] = decodeRecordBatches(answer?.records ?? Buffer.alloc(0)).batches;
    expect(batch).toMatchObject({ baseOffset: base, recordCount: 10, partitionLeaderEpoch: 1 });
    expect(answer).toMatchObject({ highWatermark: base + 10, lastStableOffset: base + 10, logStartOffset: 0 });
  });

  it('waits for data, and answers as soon as there is some', async () => {
    const base = ((await produce(batchOf(1)))?.baseOffset ?? 0) + 1;
    const begun = performance.now();
    const waiting = fetchAt(base, 4000, await connect(leaderAddress));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await produce(batchOf(2));
    expect(decodeRecordBatches((await waiting)?.records ?? Buffer.alloc(0)).batches[0]?.baseOffset).toBe(base);
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('says that an offset is out of range instead of choosing another', async () => {
    expect((await fetchAt(1_000_000))?.errorCode).toBe(1);
    expect((await fetchAt(-1))?.errorCode).toBe(1);
  });

  it('refuses a reader that believes in another epoch', async () => {
    const ask = async (currentLeaderEpoch: number) => {
      const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1000, currentLeaderEpoch }];
      const body = { maxWaitMs: 10, minBytes: 1, topics: [{ topic: TOPIC, partitions }] };
      return (await leader.request('Fetch', body, options)).responses[0]?.partitions[0]?.errorCode;
    };
    expect([await ask(0), await ask(1), await ask(2)]).toEqual([74, 0, 75]);
  });
});

describe('offsets', () => {
  const ask = async (timestamp: number) => {
    const topics = [{ name: TOPIC, partitions: [{ partitionIndex: 0, timestamp }] }];
    return (await leader.request('ListOffsets', { isolationLevel: 0, topics }, options)).topics[0]?.partitions[0];
  };

  it('are told for the end, the start and a time', async () => {
    const base = (await produce(batchOf(5)))?.baseOffset ?? 0;
    expect(await ask(-1)).toMatchObject({ errorCode: 0, offset: base + 5, leaderEpoch: 1 });
    expect(await ask(-2)).toMatchObject({ errorCode: 0, offset: 0 });
    expect(await ask(1_700_000_000_000)).toMatchObject({ errorCode: 0, offset: 0, timestamp: 1_700_000_000_000 });
    expect(await ask(2_000_000_000_000)).toMatchObject({ errorCode: 0, offset: -1 });
  });

  it('of an epoch are its end, and none for an epoch that never was', async () => {
    const end = (await ask(-1))?.offset;
    const epochEnd = async (leaderEpoch: number) => {
      const topics = [{ topic: TOPIC, partitions: [{ partition: 0, leaderEpoch }] }];
      return (await leader.request('OffsetForLeaderEpoch', { replicaId: -1, topics }, options)).topics[0]
        ?.partitions[0];
    };
    expect(await epochEnd(1)).toMatchObject({ errorCode: 0, leaderEpoch: 1, endOffset: end });
    expect(await epochEnd(5)).toMatchObject({ errorCode: 0, leaderEpoch: -1, endOffset: -1 });
  });
});

describe('addresses', () => {
  it('are proxied ones for clients and direct ones for evidence', async () => {
    const { brokers } = cluster.target;
    const client = await connect(brokers[0]!.advertised);
    const named = async (connection: Connection) =>
      (await connection.request('Metadata', { topics: [] }, options)).brokers.map(({ host, port }) => ({ host, port }));
    expect(await named(client)).toEqual(brokers.map((broker) => broker.advertised));
    expect(await named(leader)).toEqual(brokers.map((broker) => broker.direct));
    client.close();
  });
});

describe('a connection', () => {
  it('that asks for an unknown version of ApiVersions is told in version 0 which ones there are', async () => {
    const frame = Buffer.alloc(14);
    frame.writeInt32BE(10, 0);
    frame.writeInt16BE(18, 4);
    frame.writeInt16BE(99, 6);
    frame.writeInt32BE(77, 8);
    frame.writeInt16BE(-1, 12);
    const { bytes } = await raw([frame], 16);
    const answer = decodeResponseFrame('ApiVersions', 0, bytes.subarray(4));
    expect(answer).toMatchObject({ correlationId: 77, body: { errorCode: 35, apiKeys: [{ apiKey: 18 }] } });
  });

  it.each([
    ['a frame that claims to be huge', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0])],
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0])],
    ['an unknown request', Buffer.from([0, 0, 0, 10, 0x7f, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff])],
    ['a request cut short', Buffer.from([0, 0, 0, 10, 0, 3, 0, 1, 0, 0, 0, 1, 0xff, 0xff])],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ])('with %s is closed, and no other is', async (_, bytes) => {
    expect((await raw([bytes])).closed).toBe(true);
    expect((await produce(batchOf(1)))?.errorCode).toBe(0);
  });
});
