import { describe, expect, it } from 'vitest';
import { describeEmbeddedKey } from '../targets/embedded-keys.ts';
import type { ObjectStoreAccess, StoreRequest } from '../targets/target.ts';
import type { Offset } from '../vocabulary.ts';
import { encodeRecordBatch } from '../wire/record-batch.ts';
import { accountColdReads, type ColdPass, type ColdReads, countStoreReads } from './cold-reads.ts';

const TOPIC = 'AAAAAAAAAAAAAAAAAAAAAA';
const signal = AbortSignal.timeout(10_000);
const pass: ColdPass = { topicId: TOPIC, partition: 0, from: 0, to: 30, sinceWallMs: 1_000, untilWallMs: 2_000 };

const keyOf = (base: number, end: number, partition = 0): string => `data/${TOPIC}/${partition}/${base}-${end}-1-n`;

const get = (key: string, change: Partial<StoreRequest> = {}): StoreRequest => ({
  at: 1_500,
  durationMs: 1,
  listener: 'data',
  method: 'GET',
  key,
  status: 200,
  requestBytes: 0,
  responseBytes: 100,
  client: 'broker/1',
  complete: true,
  ...change,
});

const batchOf = (baseOffset: number, records: number): Buffer =>
  encodeRecordBatch({
    baseOffset: baseOffset as Offset,
    partitionLeaderEpoch: 1,
    baseTimestamp: 0,
    producerId: -1,
    producerEpoch: -1,
    baseSequence: -1,
    records: Array.from({ length: records }, () => ({ key: null, value: Buffer.alloc(50), headers: [], timestamp: 0 })),
  } as unknown as Parameters<typeof encodeRecordBatch>[0]);

const storeWith = (objects: Readonly<Record<string, Uint8Array>> = {}): ObjectStoreAccess => ({
  bucket: 'b',
  dataPrefix: 'data/',
  walPrefix: 'wal/',
  list: async () => await Promise.resolve([]),
  put: async () => {
    await Promise.resolve();
  },
  get: async (key) => await Promise.resolve(objects[key]),
  remove: async () => {
    await Promise.resolve();
  },
  describeKey: describeEmbeddedKey,
});

const account = async (requests: readonly StoreRequest[], store = storeWith()): Promise<ColdReads> =>
  await accountColdReads(pass, requests, store, signal);

describe('cold reads', () => {
  it('of whole objects cover the offsets that the objects hold', async () => {
    const reads = await account([get(keyOf(0, 10)), get(keyOf(20, 30))]);
    expect(reads).toMatchObject({
      covered: [
        { from: 0, to: 10 },
        { from: 20, to: 30 },
      ],
      uncovered: [{ from: 10, to: 20 }],
    });
  });

  it('are not asked for where brokers have it on their own disks, and say how much that is', async () => {
    const inPart = await accountColdReads({ ...pass, localFrom: 25 }, [get(keyOf(0, 20))], storeWith(), signal);
    expect(inPart).toMatchObject({ uncovered: [{ from: 20, to: 25 }], localOffsets: 5 });
    const elsewhere = await accountColdReads({ ...pass, from: 10, localFrom: 4 }, [], storeWith(), signal);
    expect(elsewhere).toMatchObject({ covered: [], uncovered: [], localOffsets: 20 });
    const beyond = await accountColdReads({ ...pass, localFrom: 40 }, [], storeWith(), signal);
    expect(beyond).toMatchObject({ uncovered: [{ from: 0, to: 30 }], localOffsets: 0 });
  });

  it('without any GET cover nothing, however much was read', async () => {
    expect(await account([])).toMatchObject({ covered: [], uncovered: [{ from: 0, to: 30 }] });
  });

  it.each([
    ['before the pass', { at: 999 }],
    ['after the pass', { at: 2_001 }],
    ['of the harness itself', { listener: 'direct' as const }],
    ['that failed', { status: 503 }],
    ['that found nothing', { status: 404 }],
    ['that broke off', { complete: false }],
    ['that only looked', { method: 'HEAD' }],
  ])('do not count a request %s', async (_, change) => {
    expect((await account([get(keyOf(0, 30), change)])).uncovered).toEqual([{ from: 0, to: 30 }]);
  });

  it('do not count objects of another partition or of no records', async () => {
    const reads = await account([get(keyOf(0, 30, 1)), get('meta/x/0/index'), get('wal/x/0/1/1')]);
    expect(reads).toMatchObject({ covered: [], uncovered: [{ from: 0, to: 30 }] });
  });

  it('of a part of an object cover the batches that lie wholly in it', async () => {
    const first = batchOf(0, 10);
    const second = batchOf(10, 10);
    const third = batchOf(20, 10);
    const store = storeWith({ [keyOf(0, 30)]: Buffer.concat([first, second, third]) });
    const range = { first: first.length, last: first.length + second.length + 5 };
    const reads = await account([get(keyOf(0, 30), { range, status: 206 })], store);
    expect(reads.covered).toEqual([{ from: 10, to: 20 }]);
  });

  it('of adjoining parts add up', async () => {
    const first = batchOf(0, 10);
    const second = batchOf(10, 20);
    const store = storeWith({ [keyOf(0, 30)]: Buffer.concat([first, second]) });
    const middle = first.length - 7;
    const reads = await account(
      [
        get(keyOf(0, 30), { range: { first: 0, last: middle - 1 }, status: 206 }),
        get(keyOf(0, 30), { range: { first: middle, last: first.length + second.length - 1 }, status: 206 }),
      ],
      store,
    );
    expect(reads.covered).toEqual([{ from: 0, to: 30 }]);
  });

  it('of a part of something that is no object of batches cover nothing', async () => {
    const store = storeWith({
      [keyOf(0, 30)]: Buffer.from('not a batch at all, but long enough to have a header, is it not'),
    });
    const reads = await account([get(keyOf(0, 30), { range: { first: 0, last: 20 }, status: 206 })], store);
    expect(reads.covered).toEqual([]);
  });
});

describe('reads of the store during a cold pass', () => {
  const count = (...requests: StoreRequest[]) => countStoreReads(requests, pass, new Set([TOPIC]), describeEmbeddedKey);

  it('are counted with those that asked for a part, on the brokers’ path alone', () => {
    const part = get(keyOf(0, 10), { range: { first: 0, last: 99 }, status: 206 });
    const others = [
      get(keyOf(0, 10), { at: 999 }),
      get(keyOf(0, 10), { listener: 'direct' }),
      get(keyOf(0, 10), { status: 404 }),
      get(keyOf(0, 10), { complete: false }),
      get('meta/x/0/index'),
      get(keyOf(0, 10).replace(TOPIC, 'B'.repeat(22))),
    ];
    expect(count(part, get(keyOf(10, 20)), ...others)).toEqual({ reads: 2, rangedReads: 1, bytes: 200 });
  });

  it('are none where nobody can tell what a key holds', () => {
    expect(countStoreReads([get(keyOf(0, 10))], pass, new Set([TOPIC]), undefined).reads).toBe(0);
  });
});
