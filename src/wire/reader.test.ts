import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster, TOPIC } from '../../test/support/fake-cluster.ts';
import type { Offset } from '../vocabulary.ts';
import { abortedBatches } from './aborted-records.ts';
import { ClusterClient } from './cluster-client.ts';
import { fetchMetadata, listOffset } from './evidence-calls.ts';
import { Reader } from './reader.ts';
import { decodeRecordBatches, encodeRecordBatch, type RecordBatchInput } from './record-batch.ts';

let cluster: FakeCluster;
let client: ClusterClient;
let reader: Reader;

const at = (offset: number): Offset => offset as Offset;
const store = (...batches: readonly (Partial<RecordBatchInput> & { values: readonly string[] })[]): void => {
  for (const { values, ...rest } of batches) {
    const records = values.map((value) => ({ key: null, value: Buffer.from(value), timestamp: 5 }));
    cluster.log.push(encodeRecordBatch({ records, baseOffset: cluster.endOffset, partitionLeaderEpoch: 3, ...rest }));
  }
};

beforeEach(async () => {
  cluster = await FakeCluster.start(2);
  client = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test', connectTimeoutMs: 3000 });
  reader = new Reader({ client, topic: TOPIC, isolation: 'read_committed', maxWaitMs: 1 });
});

afterEach(async () => {
  client.close();
  await cluster.stop();
});

const valuesFrom = async (from: number): Promise<unknown> => {
  const answer = await reader.read(0, at(from), 1_000_000, 5000);
  if (answer.kind !== 'batches') return answer.kind;
  return answer.batches.flatMap(({ records }) => records.map(({ offset, value }) => `${offset}=${String(value)}`));
};

describe('a reader', () => {
  it('returns records from the asked offset on, with what the batch says', async () => {
    store({ values: ['a', 'b'], producerId: 7, producerEpoch: 1 }, { values: ['c'] });
    expect(await valuesFrom(1)).toEqual(['1=b', '2=c']);
    const answer = await reader.read(0, at(0), 1_000_000, 5000);
    expect(answer).toMatchObject({ kind: 'batches', nextOffset: 3, highWatermark: 3 });
    expect(answer.kind === 'batches' && answer.batches[0]).toMatchObject({
      partitionLeaderEpoch: 3,
      producerId: 7,
      producerEpoch: 1,
      isControl: false,
      crcOk: true,
    });
  });

  it('reports an offset out of range and does not move elsewhere', async () => {
    store({ values: ['a'] });
    expect(await valuesFrom(9)).toBe('out-of-range');
    cluster.logStart = 5;
    expect(await valuesFrom(0)).toBe('out-of-range');
  });

  it('returns nothing, and the same position, at the end of the log', async () => {
    store({ values: ['a'] });
    expect(await reader.read(0, at(1), 1000, 5000)).toMatchObject({ kind: 'batches', batches: [], nextOffset: 1 });
  });

  it('reports a wrong checksum with the batch', async () => {
    store({ values: ['abc'] });
    const stored = cluster.log[0]!;
    stored[stored.length - 2] = 0;
    const answer = await reader.read(0, at(0), 1000, 5000);
    expect(answer.kind === 'batches' && answer.batches[0]).toMatchObject({ crcOk: false, baseOffset: 0 });
  });

  it('moves on behind a damaged batch, and not far astray by its own word', async () => {
    store({ values: ['abc'] }, { values: ['d'] });
    cluster.log[0]!.writeInt32BE(0x7fffffff, 57);
    const first = await reader.read(0, at(0), 1000, 5000);
    expect(first.kind === 'batches' && first.batches[0]!.recordCount).toBeLessThan(5);
    expect(first).toMatchObject({ nextOffset: 2 });
    cluster.log.pop();
    cluster.log[0]!.writeInt32BE(0x7fffffff, 23);
    cluster.hook = (request) => (request.api === 'Fetch' ? { code: 0 } : 'serve');
    const second = await reader.read(0, at(0), 1000, 5000);
    expect(second).toMatchObject({ kind: 'batches', nextOffset: expect.any(Number) as number });
    expect(second.kind === 'batches' && second.nextOffset).toBeLessThan(5);
    expect(second.kind === 'batches' && second.nextOffset).toBeGreaterThan(0);
  });

  it('keeps the order in which a broker sent batches, even a wrong one', async () => {
    store({ values: ['a'] }, { values: ['b'] });
    cluster.log.reverse();
    cluster.hook = (request) => (request.api === 'Fetch' ? { code: 0 } : 'serve');
    const answer = await reader.read(0, at(0), 1000, 5000);
    expect(answer.kind === 'batches' && answer.batches.map(({ baseOffset }) => baseOffset)).toEqual([1, 0]);
  });

  it('follows the leader', async () => {
    store({ values: ['a'] });
    expect(await valuesFrom(0)).toEqual(['0=a']);
    cluster.moveLeader(2);
    expect(await valuesFrom(0)).toEqual(['0=a']);
  });

  it('gives up at its deadline and says what it last saw', async () => {
    cluster.hook = (request) => (request.api === 'Fetch' ? { code: 6 } : 'serve');
    await expect(reader.read(0, at(0), 1000, 300)).rejects.toMatchObject({
      code: 'WIRE_UNREACHABLE',
      message: expect.stringMatching(/orders\/0 from offset 0 after \d+ tries; last seen: /) as string,
    });
  });

  it('refuses a batch that does not fit the limit instead of waiting for ever', async () => {
    store({ values: ['abc'] });
    cluster.log[0] = cluster.log[0]!.subarray(0, 65);
    await expect(reader.read(0, at(0), 1000, 5000)).rejects.toMatchObject({ code: 'WIRE_BATCH_INCOMPLETE' });
  });
});

describe('evidence calls', () => {
  it('tell where the log begins and ends', async () => {
    store({ values: ['a', 'b'] });
    const place = { topic: TOPIC, partition: 0 };
    const options = { deadlineMs: 5000 };
    expect(await listOffset(client, place, 'latest', 'read_committed', options)).toEqual({ offset: 2, leaderEpoch: 0 });
    expect(await listOffset(client, place, 'earliest', 'read_uncommitted', options)).toMatchObject({ offset: 0 });
  });

  it('refuse a version that would drop the isolation level', async () => {
    cluster.versions.set('ListOffsets', [1, 1]);
    const asked = listOffset(client, { topic: TOPIC, partition: 0 }, 'latest', 'read_committed', { deadlineMs: 5000 });
    await expect(asked).rejects.toMatchObject({ code: 'WIRE_UNSUPPORTED_VERSION' });
  });

  it('ask another broker when one is gone', async () => {
    await cluster.brokers[0]!.stop();
    cluster.moveLeader(2);
    const metadata = await fetchMetadata(client, [TOPIC], { deadlineMs: 5000 });
    expect(metadata.topics[0]).toMatchObject({
      name: TOPIC,
      topicId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      partitions: [{ partition: 0, leader: 2, leaderEpoch: 1, inSync: [1, 2] }],
    });
  });
});

describe('aborted transactions', () => {
  it('end with the control batch of their producer', () => {
    const batch = (baseOffset: number, producerId: number, extra: Partial<RecordBatchInput> = {}): Buffer =>
      encodeRecordBatch({
        records: [{ key: null, value: null, timestamp: 0 }],
        baseOffset,
        producerId,
        isTransactional: true,
        ...extra,
      });
    const { batches } = decodeRecordBatches(
      Buffer.concat([
        batch(0, 1),
        batch(1, 2),
        batch(2, 1, { isControl: true }),
        batch(3, 1),
        batch(4, 1, { isTransactional: false }),
      ]),
    );
    const aborted = abortedBatches(batches, [{ producerId: 1, firstOffset: 0 }]);
    expect([...aborted].map(({ baseOffset }) => baseOffset)).toEqual([0]);
  });
});
