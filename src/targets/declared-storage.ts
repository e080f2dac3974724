// What a target file declares of the storage under test, and what its object store field shows by itself. What nobody declared is told
// as not collected: a reader must not take silence for an answer.
import type { ObjectStoreSpec, StorageSpec } from './external-spec.ts';
import type { StorageFact } from './target.ts';

const ITEMS = [
  ['wal', 'wal'],
  ['service', 'service'],
  ['identity', 'identity'],
  ['encryption', 'encryption'],
  ['route', 'route'],
  ['shared-fate', 'sharedFate'],
] as const;

/** What the way ackproof itself takes shows of the store; that of the brokers may be another. */
const shownBy = ({ endpoint }: ObjectStoreSpec): StorageSpec => ({ service: `an S3 service at ${endpoint}` });

/** Undefined where the file names no storage at all. */
export const declaredStorage = (
  declared: StorageSpec | undefined,
  objectStore: ObjectStoreSpec | undefined,
): readonly StorageFact[] | undefined => {
  if (declared === undefined && objectStore === undefined) return undefined;
  const shown: StorageSpec = { ...(objectStore === undefined ? {} : shownBy(objectStore)), ...declared };
  return ITEMS.map(([item, field]): StorageFact => {
    const detail = shown[field];
    return detail === undefined
      ? { item, state: 'not collected', detail: `storage.${field} of the target file says nothing` }
      : { item, state: 'observed', detail: `${detail} (as the target file says)` };
  });
};
