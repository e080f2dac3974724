// What every client of the registry keeps, whatever library it is made of: written once, run for all, against a cluster of fakes
// whose every answer a test decides.
import { describe, expect, test } from 'vitest';
import type { ClientDefinition } from '../../src/clients/client.ts';
import { CLIENT_REGISTRY } from '../../src/clients/registry.ts';
import { encodeResponseFrame } from '../../src/wire/protocol.ts';
import { TOPIC } from '../support/fake-cluster.ts';
import {
  append,
  appendMarker,
  batch,
  collect,
  connectionsTo,
  openLane,
  openReader,
  producesGet,
  producesSeen,
  startFakeCluster,
} from './client-fixture.ts';

const MESSAGE_TOO_LARGE = 10;
const REQUEST_TIMED_OUT = 7;
const DUPLICATE_SEQUENCE_NUMBER = 46;

test('the clients are sorted, named once, and each says what it is in a sentence', () => {
  const kinds = CLIENT_REGISTRY.map(({ kind }) => kind);
  expect(kinds).toEqual([...new Set(kinds)].sort());
  for (const { kind, summary, retries } of CLIENT_REGISTRY) {
    expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/u);
    expect(summary).toMatch(/\.$/u);
    expect(retries).toContain('none');
  }
});

const eachClient = describe.each(CLIENT_REGISTRY.map((client): [string, ClientDefinition] => [client.kind, client]));

eachClient('a lane of %s', (_, client) => {
  test('is ok at the offset that the broker answered, batch after batch', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'here', 'before');
    const lane = await openLane(client, cluster);
    expect(await lane.send(batch('a', 'b', 'c'))).toMatchObject({ outcome: 'ok', baseOffset: 2, attempts: 1 });
    expect(await lane.send(batch('d'))).toMatchObject({ outcome: 'ok', baseOffset: 5, attempts: 1, tainted: false });
    expect(cluster.endOffset).toBe(6);
  });

  test('is ok at an offset that no log reaches: an acknowledgement that cannot be kept is one all the same', async () => {
    const cluster = await startFakeCluster();
    const marker = 0x1234_5678_9abc;
    cluster.hook = ({ api, version, correlationId }) => {
      if (api !== 'Produce') return 'serve';
      const partitionResponses = [{ index: 0, errorCode: 0, baseOffset: marker }];
      const raw = encodeResponseFrame(api, version, correlationId, {
        responses: [{ name: TOPIC, partitionResponses }],
      });
      raw.writeBigInt64BE(0x7fff_ffff_ffff_fff0n, raw.indexOf('0000123456789abc', 'hex'));
      return { raw };
    };
    const result = await (await openLane(client, cluster)).send(batch('a'));
    expect(result).toMatchObject({ outcome: 'ok', baseOffset: 2 ** 51, attempts: 1, tainted: false });
    expect(result.clientAnomaly).toBeUndefined();
  });

  test('is unknown where the answer is too short to be one, and the process goes on', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, { raw: Buffer.alloc(4) });
    const result = await (await openLane(client, cluster)).send(batch('a'));
    expect(result).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });

  test('is ok without an offset where the answer’s offset is not to be trusted', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, { code: DUPLICATE_SEQUENCE_NUMBER });
    const result = await (await openLane(client, cluster)).send(batch('again'));
    expect(result).toMatchObject({ outcome: 'ok', code: DUPLICATE_SEQUENCE_NUMBER });
    expect(result.baseOffset).toBeUndefined();
  });

  test('fails where a definite refusal answers the only attempt, and says why', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, { code: MESSAGE_TOO_LARGE });
    const result = await (await openLane(client, cluster)).send(batch('large'));
    expect(result).toMatchObject({ outcome: 'fail', code: MESSAGE_TOO_LARGE, attempts: 1, tainted: false });
    expect(result.reason).toBeTruthy();
    expect(result.baseOffset).toBeUndefined();
  });

  test('fails, with no attempt counted, where nothing left the process', async () => {
    const cluster = await startFakeCluster();
    const lane = await openLane(client, cluster, { attemptTimeoutMs: 300, deliveryTimeoutMs: 300 });
    await cluster.stop();
    expect(await lane.send(batch('a'))).toMatchObject({ outcome: 'fail', attempts: 0, notSent: true, tainted: false });
  });

  test.for([
    ['an answer that never comes', 'swallow-answer', 1],
    ['a connection that ends instead of an answer', 'hang-up', 0],
    ['an answer that decides nothing', { code: REQUEST_TIMED_OUT }, 0],
  ] as const)('is unknown and tells no offset after %s', async ([, fate, stored]) => {
    const cluster = await startFakeCluster();
    producesGet(cluster, fate);
    const lane = await openLane(client, cluster, { attemptTimeoutMs: 400, deliveryTimeoutMs: 400 });
    const result = await lane.send(batch('a'));
    expect(result).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(result.baseOffset).toBeUndefined();
    expect(result.reason).toBeTruthy();
    expect(cluster.log).toHaveLength(stored);
  });

  test('is dead after an unknown result: it refuses the next batch and sends nothing of it', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, { code: REQUEST_TIMED_OUT });
    const lane = await openLane(client, cluster);
    expect(await lane.send(batch('a'))).toMatchObject({ outcome: 'unknown' });
    const before = producesSeen(cluster);
    await expect(lane.send(batch('b'))).rejects.toThrow(/unknown/u);
    expect(producesSeen(cluster)).toBe(before);
  });

  test('is never ok with acks=0, although the record is stored', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, 'swallow-answer');
    const lane = await openLane(client, cluster, { acks: 0 });
    expect(await lane.send(batch('unasked'))).toMatchObject({ outcome: 'unknown' });
    await expect.poll(() => cluster.log.length).toBe(1);
  });

  test('counts each attempt the broker saw, and taints what a retry may have doubled', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, { code: REQUEST_TIMED_OUT }, { code: REQUEST_TIMED_OUT });
    const retry = client.retries.includes('same-batch') ? 'same-batch' : 'none';
    const lane = await openLane(client, cluster, { idempotence: true, retry });
    const result = await lane.send(batch('retried'));
    expect(result).toMatchObject({ outcome: 'ok', tainted: true });
    expect(result.attempts).toBe(producesSeen(cluster));
    expect(result.attempts).toBe(3);
  });

  test('sends a batch once where it was told not to retry', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, { code: REQUEST_TIMED_OUT });
    expect(await (await openLane(client, cluster)).send(batch('once'))).toMatchObject({ attempts: 1 });
    expect(producesSeen(cluster)).toBe(1);
  });

  test('destroys its sockets when it is closed, also while an answer is awaited', async () => {
    const cluster = await startFakeCluster();
    producesGet(cluster, 'serve', 'ignore');
    const lane = await openLane(client, cluster);
    await lane.send(batch('a'));
    expect(connectionsTo(cluster)).toBeGreaterThan(0);
    const sending = lane.send(batch('b'));
    await expect.poll(() => producesSeen(cluster)).toBe(2);
    await lane.close();
    await expect.poll(() => connectionsTo(cluster)).toBe(0);
    expect(await sending).toMatchObject({ outcome: 'unknown' });
  });
});

eachClient('a reader of %s', (_, client) => {
  test('begins where it was told, in the middle of a batch too, and gives each record once and in order', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'a', 'b', 'c');
    append(cluster, 'd');
    const { range, seen } = collect({ from: 1, above: 3 });
    const result = await (await openReader(client, cluster)).readRange(range);
    expect(result).toMatchObject({ from: 1, position: 4, end: 'complete' });
    expect(seen).toEqual(['1 b', '2 c', '3 d']);
  });

  test('gives key, value and headers byte by byte', async () => {
    const cluster = await startFakeCluster();
    await (await openLane(client, cluster)).send(batch('a'));
    const { range, records } = collect({ from: 0, above: 0 });
    await (await openReader(client, cluster)).readRange(range);
    expect(records).toMatchObject([{ offset: 0, key: Buffer.from('a'), value: Buffer.from('a'), control: false }]);
    expect(records[0]?.headers).toEqual(new Map([['h', Buffer.from('a')]]));
  });

  test('ends the range at an offset outside the log, and reads nothing that was not asked for', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'a', 'b');
    const above = collect({ from: 7, above: 9 });
    const result = await (await openReader(client, cluster)).readRange(above.range);
    expect(result).toMatchObject({ from: 7, end: 'out-of-range' });
    expect(result.detail).toBeTruthy();
    expect(above.seen).toEqual([]);
    cluster.log.shift();
    cluster.logStart = 2;
    append(cluster, 'c');
    const below = collect({ from: 0, above: 2 });
    expect(await (await openReader(client, cluster)).readRange(below.range)).toMatchObject({
      end: 'out-of-range',
    });
    expect(below.seen).toEqual([]);
  });

  test('goes on until it saw the sentinel, however far its position is', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'a', 'b');
    const { range, seen } = collect({ from: 0, above: 1, until: 'sentinel' });
    const reading = (await openReader(client, cluster)).readRange(range);
    await expect.poll(() => seen.length).toBe(2);
    append(cluster, 'sentinel');
    expect(await reading).toMatchObject({ position: 3, end: 'complete' });
    expect(seen.at(-1)).toBe('2 sentinel');
  });

  test('stays at the end of the log where nothing follows, and says that it ran out of time', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'a', 'b');
    const { range, seen } = collect({ from: 2, above: 4, deadlineMs: 400 });
    const result = await (await openReader(client, cluster)).readRange(range);
    expect(result).toMatchObject({ from: 2, position: 2, end: 'timeout' });
    expect(seen).toEqual([]);
  });

  test('stands after a tail that holds no record of ours', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'a', 'b');
    appendMarker(cluster);
    for (const from of [0, 2]) {
      const { range, seen } = collect({ from, above: 2, deadlineMs: 3000 });
      const result = await (await openReader(client, cluster)).readRange(range);
      expect(result).toMatchObject({ from, position: 3, end: 'complete' });
      expect(seen.filter((each) => !each.startsWith('2 '))).toEqual(from === 0 ? ['0 a', '1 b'] : []);
    }
  });

  test('ends at once when it is aborted, and counts what it did not reach as not read', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'a');
    const aborting = new AbortController();
    const { range, seen } = collect({ from: 0, above: 9, signal: aborting.signal });
    const reading = (await openReader(client, cluster)).readRange(range);
    await expect.poll(() => seen.length).toBe(1);
    aborting.abort(new Error('enough'));
    expect(await reading).toMatchObject({ position: 1, end: 'timeout' });
  });

  test('leaves no connection when it is closed', async () => {
    const cluster = await startFakeCluster();
    append(cluster, 'a');
    const reader = await openReader(client, cluster);
    await reader.readRange(collect({ from: 0, above: 0 }).range);
    await reader.close();
    await expect.poll(() => connectionsTo(cluster)).toBe(0);
  });
});
