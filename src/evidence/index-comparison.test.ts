import { describe, expect, it } from 'vitest';
import { describeEmbeddedKey } from '../targets/embedded-keys.ts';
import type { IndexedObject, ObjectStoreAccess } from '../targets/target.ts';
import { compareWithIndex } from './index-comparison.ts';

const OURS = 'AAAAAAAAAAAAAAAAAAAAAA';
const THEIRS = 'BBBBBBBBBBBBBBBBBBBBBB';
const signal = AbortSignal.timeout(10_000);
const keyOf = (base: number, topic = OURS): string => `data/${topic}/0/${base}-${base + 10}-1-n`;

const indexedAs = (key: string): IndexedObject => ({ key, ...describeEmbeddedKey(key)! });

/** `indexes`: what each reading of the index gives; `readable`: what a read finds although it is not listed. */
const storeWith = (
  listed: readonly string[],
  indexes: readonly (readonly string[])[],
  readable: readonly string[] = listed,
): ObjectStoreAccess => {
  let reading = 0;
  return {
    bucket: 'b',
    dataPrefix: 'data/',
    walPrefix: 'wal/',
    list: async () => await Promise.resolve(listed.map((key) => ({ key, bytes: 100 }))),
    put: async () => await Promise.resolve(),
    get: async () => await Promise.resolve(undefined),
    remove: async () => await Promise.resolve(),
    getRange: async (key) => await Promise.resolve(readable.includes(key) ? new Uint8Array(1) : undefined),
    describeKey: describeEmbeddedKey,
    indexed: async () => await Promise.resolve((indexes[Math.min(reading++, indexes.length - 1)] ?? []).map(indexedAs)),
  };
};

const compare = async (store: ObjectStoreAccess) => await compareWithIndex(store, new Set([OURS]), signal);

describe('objects held against the index', () => {
  it('that are all there and all named are neither missing nor orphans', async () => {
    const keys = [keyOf(0), keyOf(10)];
    expect(await compare(storeWith(keys, [keys]))).toEqual({
      objects: 2,
      missing: { objects: 0, keys: [] },
      orphans: { objects: 0, bytes: 0, keys: [] },
    });
  });

  it('are missing where the index names them and neither a listing nor a read shows them', async () => {
    const found = await compare(storeWith([keyOf(0)], [[keyOf(0), keyOf(10), keyOf(20)]], [keyOf(0), keyOf(20)]));
    expect(found?.missing).toEqual({ objects: 1, keys: [keyOf(10)] });
  });

  it('are not missing where they were named only after they were listed', async () => {
    const found = await compare(storeWith([], [[], [keyOf(0)]], []));
    expect(found?.missing.objects).toBe(0);
  });

  it('are not missing where they were removed with their name meanwhile', async () => {
    const found = await compare(storeWith([], [[keyOf(0)], []], []));
    expect(found).toMatchObject({ objects: 1, missing: { objects: 0 } });
  });

  it('are orphans where no index names them, neither before nor after', async () => {
    const found = await compare(storeWith([keyOf(0), keyOf(10), keyOf(20)], [[keyOf(0)], [keyOf(0), keyOf(10)]]));
    expect(found?.orphans).toEqual({ objects: 1, bytes: 100, keys: [keyOf(20)] });
  });

  it('of other topics are left alone', async () => {
    const found = await compare(storeWith([keyOf(0, THEIRS)], [[keyOf(10, THEIRS)]], []));
    expect(found).toMatchObject({ objects: 0, missing: { objects: 0 }, orphans: { objects: 0 } });
  });

  it('are held against nothing where the target shows no index', async () => {
    const whole = storeWith([], [[]]);
    const store = { dataPrefix: whole.dataPrefix, list: whole.list.bind(whole), get: whole.get.bind(whole) };
    expect(await compareWithIndex(store, new Set([OURS]), signal)).toBeUndefined();
  });
});
