import { describe, expect, it } from 'vitest';
import { describeEmbeddedKey } from '../targets/embedded-keys.ts';
import type { Offset } from '../vocabulary.ts';
import { encodeRecordBatch } from '../wire/record-batch.ts';
import { readSample, type SampledStore, sampledObject } from './range-sample.ts';

const signal = AbortSignal.timeout(10_000);
const KEY = 'data/AAAAAAAAAAAAAAAAAAAAAA/0/7-9-1-n';

const batchAt = (baseOffset: number): Buffer =>
  encodeRecordBatch({
    baseOffset: baseOffset as Offset,
    partitionLeaderEpoch: 1,
    baseTimestamp: 0,
    producerId: -1,
    producerEpoch: -1,
    baseSequence: -1,
    records: [{ key: null, value: Buffer.alloc(50), headers: [], timestamp: 0 }],
  } as unknown as Parameters<typeof encodeRecordBatch>[0]);

const storeOf = (body: Buffer | undefined, knowsNames = true): SampledStore => ({
  ...(knowsNames ? { describeKey: describeEmbeddedKey } : {}),
  getRange: async (_, first, last) => await Promise.resolve(body?.subarray(first, last + 1)),
});

const sample = async (store: SampledStore, bytes: number) => await readSample(store, { key: KEY, bytes }, signal);

describe('a range of an object', () => {
  it('is as named where a batch begins it with the offset of its name', async () => {
    const batch = batchAt(7);
    expect(await sample(storeOf(batch), batch.length)).toMatchObject({ result: 'as-named', first: 0, last: 60 });
  });

  it('is another where the batch begins at another offset, or is none', async () => {
    expect(await sample(storeOf(batchAt(8)), 100)).toMatchObject({ result: 'other' });
    expect(await sample(storeOf(Buffer.alloc(100)), 100)).toMatchObject({ result: 'other' });
  });

  it('is another where it is not as long as it was asked for', async () => {
    expect(await sample(storeOf(batchAt(7).subarray(0, 30)), 100)).toMatchObject({ result: 'other' });
  });

  it('of an object that went away since it was listed has failed', async () => {
    expect(await sample(storeOf(undefined), 100)).toMatchObject({ result: 'failed' });
  });

  it('where names say nothing is the second half, and its length is what there is to say', async () => {
    expect(await sample(storeOf(Buffer.alloc(11), false), 11)).toMatchObject({
      first: 5,
      last: 10,
      result: 'as-named',
    });
  });
});

describe('the object that is sampled', () => {
  it('is the one in the middle of those that hold anything', () => {
    const objects = ['c', 'a', 'b', 'd'].map((key) => ({ key, bytes: key === 'd' ? 0 : 1 }));
    expect(sampledObject(objects)?.key).toBe('b');
    expect(sampledObject([])).toBeUndefined();
  });
});
