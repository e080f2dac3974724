// What is in the object store, listed with the harness's own credentials. The listing lags acknowledgements by design: a record
// that is acknowledged and not yet in a data object is in the write-ahead log.
import type { ObjectStoreAccess, StoredObject } from '../targets/target.ts';
import { joinRanges, type OffsetRange } from './offset-ranges.ts';

export interface PartitionObjects {
  readonly topicId: string;
  readonly partition: number;
  readonly objects: number;
  readonly bytes: number;
  /** Offsets that some data object says it holds. */
  readonly offsets: readonly OffsetRange[];
}

export interface ObjectInventory {
  readonly dataObjects: number;
  readonly dataBytes: number;
  readonly walObjects: number;
  readonly walBytes: number;
  /** Empty where the naming of data objects is not known. */
  readonly partitions: readonly PartitionObjects[];
}

const bytesOf = (objects: readonly StoredObject[]): number => objects.reduce((sum, object) => sum + object.bytes, 0);

interface Gathered {
  readonly topicId: string;
  readonly partition: number;
  readonly objects: StoredObject[];
  readonly offsets: OffsetRange[];
}

const byPartition = (store: ObjectStoreAccess, data: readonly StoredObject[]): readonly PartitionObjects[] => {
  const gathered = new Map<string, Gathered>();
  for (const object of data) {
    const records = store.describeKey?.(object.key);
    if (records === undefined) continue;
    const { topicId, partition, baseOffset, endOffset } = records;
    const key = `${topicId}/${partition}`;
    const entry = gathered.get(key) ?? { topicId, partition, objects: [], offsets: [] };
    entry.objects.push(object);
    entry.offsets.push({ from: baseOffset, to: endOffset });
    gathered.set(key, entry);
  }
  return [...gathered.values()].map(({ topicId, partition, objects, offsets }) => ({
    topicId,
    partition,
    objects: objects.length,
    bytes: bytesOf(objects),
    offsets: joinRanges(offsets),
  }));
};

/** Lists both prefixes now; where there is no write-ahead log in the store, nothing is of it. */
export const takeInventory = async (store: ObjectStoreAccess, signal: AbortSignal): Promise<ObjectInventory> => {
  const data = await store.list(store.dataPrefix, signal);
  const wal = store.walPrefix === undefined ? [] : await store.list(store.walPrefix, signal);
  return {
    dataObjects: data.length,
    dataBytes: bytesOf(data),
    walObjects: wal.length,
    walBytes: bytesOf(wal),
    partitions: byPartition(store, data),
  };
};
