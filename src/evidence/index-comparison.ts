// The data objects of a store held against the index that the target keeps of them. The index is read before and after the listing:
// an object is missing if both name it and it is neither listed nor read; it is an orphan if it is listed and neither names it. So
// neither what is being uploaded nor what is being removed is missing, and an upload in flight is an orphan until its index is written.
import type { IndexedObject, ObjectStoreAccess, StoredObject } from '../targets/target.ts';

export interface IndexComparison {
  /** Named by the index. */
  readonly objects: number;
  readonly missing: { readonly objects: number; readonly keys: readonly string[] };
  readonly orphans: { readonly objects: number; readonly bytes: number; readonly keys: readonly string[] };
}

type Compared = Pick<ObjectStoreAccess, 'dataPrefix' | 'list' | 'get' | 'getRange' | 'indexed' | 'describeKey'>;

const MOST_KEYS = 8;
/** More than so many that are missing are not read one by one: that they are not listed says enough. */
const MOST_READ = 100;

const isThere = async (store: Compared, key: string, signal: AbortSignal): Promise<boolean> => {
  const read = store.getRange === undefined ? store.get(key, signal) : store.getRange(key, 0, 0, signal);
  return (await read) !== undefined;
};

const trulyMissing = async (
  store: Compared,
  unlisted: readonly IndexedObject[],
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const [position, { key }] of unlisted.entries()) {
    if (position >= MOST_READ || !(await isThere(store, key, signal))) missing.push(key);
  }
  return missing;
};

/**
 * Of the topics with these ids; undefined where the target shows no index. Throws what the store throws.
 */
export const compareWithIndex = async (
  store: Compared,
  topicIds: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<IndexComparison | undefined> => {
  if (store.indexed === undefined) return undefined;
  const ours = ({ topicId }: { readonly topicId: string }): boolean => topicIds.has(topicId);
  const before = (await store.indexed(signal)).filter(ours);
  const listed: readonly StoredObject[] = await store.list(store.dataPrefix, signal);
  const after = (await store.indexed(signal)).filter(ours);
  const there = new Set(listed.map(({ key }) => key));
  const stillNamed = new Set(after.map(({ key }) => key));
  const named = new Set([...before.map(({ key }) => key), ...stillNamed]);
  const unlisted = before.filter(({ key }) => stillNamed.has(key) && !there.has(key));
  const missing = await trulyMissing(store, unlisted, signal);
  const orphans = listed.filter(({ key }) => {
    const records = store.describeKey?.(key);
    return records !== undefined && ours(records) && !named.has(key);
  });
  return {
    objects: before.length,
    missing: { objects: missing.length, keys: missing.slice(0, MOST_KEYS) },
    orphans: {
      objects: orphans.length,
      bytes: orphans.reduce((sum, { bytes }) => sum + bytes, 0),
      keys: orphans.slice(0, MOST_KEYS).map(({ key }) => key),
    },
  };
};
