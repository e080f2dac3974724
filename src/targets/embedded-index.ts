// What the embedded cluster's own indexes say: one JSON object for each partition, `meta/<topic id>/<partition>/index`, with the data
// objects of its log. Read as anybody could who has the bucket; what is not of that form names nothing.
import { InternalError } from '../errors.ts';
import { describeEmbeddedKey } from './embedded-keys.ts';
import type { IndexedObject, ObjectStoreAccess } from './target.ts';

const META_PREFIX = 'meta/';
const INDEX_KEY = /^meta\/[\w-]{22}\/\d+\/index$/;
const AT_ONCE = 8;

type Reading = Pick<ObjectStoreAccess, 'list' | 'get'>;

const objectsIn = (key: string, bytes: Uint8Array): readonly IndexedObject[] => {
  const index = JSON.parse(new TextDecoder().decode(bytes)) as { readonly segments?: unknown };
  if (!Array.isArray(index.segments)) {
    throw new InternalError('TARGET_BAD_INDEX', `The object ${key} of the embedded cluster is no index.`);
  }
  return (index.segments as readonly { readonly key?: unknown }[]).flatMap((segment) => {
    const name = typeof segment.key === 'string' ? segment.key : '';
    const records = describeEmbeddedKey(name);
    return records === undefined ? [] : [{ key: name, ...records }];
  });
};

/** Every data object that an index names, of all partitions. Throws what the store throws. */
export const embeddedIndexed = async (store: Reading, signal: AbortSignal): Promise<readonly IndexedObject[]> => {
  const keys = (await store.list(META_PREFIX, signal)).map(({ key }) => key).filter((key) => INDEX_KEY.test(key));
  const found: IndexedObject[] = [];
  for (let next = 0; next < keys.length; next += AT_ONCE) {
    const some = keys.slice(next, next + AT_ONCE);
    const read = await Promise.all(some.map(async (key) => ({ key, bytes: await store.get(key, signal) })));
    found.push(...read.flatMap(({ key, bytes }) => (bytes === undefined ? [] : objectsIn(key, bytes))));
  }
  return found;
};
