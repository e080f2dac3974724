// A part of one object, read by the harness itself: that what is listed can be read from the middle, as a broker without a cache
// reads it, and that it is what its name says.
import type { ObjectRecords, StoredObject } from '../targets/target.ts';
import { BATCH_HEADER_BYTES, readBatchHeader } from '../wire/batch-header.ts';
import { WireError } from '../wire/wire-error.ts';

export interface RangeSample {
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly result: 'as-named' | 'other' | 'failed';
  readonly detail: string;
}

export interface SampledStore {
  readonly describeKey?: (key: string) => ObjectRecords | undefined;
  readonly getRange: (key: string, first: number, last: number, signal: AbortSignal) => Promise<Uint8Array | undefined>;
}

/** A batch begins at the first byte of a data object, so its head tells the first offset. */
const firstOffset = (bytes: Uint8Array): number | undefined => {
  try {
    return readBatchHeader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0).baseOffset;
  } catch (thrown) {
    if (thrown instanceof WireError) return undefined;
    throw thrown;
  }
};

/** The object in the middle of those that hold anything, by their keys; undefined where none does. */
export const sampledObject = (objects: readonly StoredObject[]): StoredObject | undefined => {
  const some = objects.filter(({ bytes }) => bytes > 0).sort((one, other) => (one.key < other.key ? -1 : 1));
  return some[Math.floor(some.length / 2)];
};

/** Reads the head of an object whose name tells its records, the second half of any other. Throws what the store throws. */
export const readSample = async (
  store: SampledStore,
  { key, bytes: size }: StoredObject,
  signal: AbortSignal,
): Promise<RangeSample> => {
  const records = store.describeKey?.(key);
  const first = records === undefined ? Math.floor(size / 2) : 0;
  const last = records === undefined ? size - 1 : Math.min(size, BATCH_HEADER_BYTES) - 1;
  const place = { key, first, last };
  const bytes = await store.getRange(key, first, last, signal);
  if (bytes === undefined) return { ...place, result: 'failed', detail: 'it was listed, and is not there' };
  const wanted = last - first + 1;
  if (bytes.length !== wanted) {
    return { ...place, result: 'other', detail: `${bytes.length} bytes came, not ${wanted}` };
  }
  if (records === undefined) return { ...place, result: 'as-named', detail: `${wanted} of ${size} bytes came` };
  const offset = firstOffset(bytes);
  return offset === records.baseOffset
    ? { ...place, result: 'as-named', detail: `a batch that begins at offset ${offset}, as its name says` }
    : {
        ...place,
        result: 'other',
        detail: `it begins at offset ${String(offset)}, and its name says ${records.baseOffset}`,
      };
};
