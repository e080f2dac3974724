// The index object: everything about a partition that is not in a data object or a slot. It changes only by compare-and-set,
// and what it says of the write-ahead log is what a successor must find there: an extent for each owner whose slots are not
// all uploaded, closed ones with their last slot, and one open one for whoever claimed the index last.
import { beginEpoch, type EpochStart } from './epoch-history.ts';
import type { ConditionalStore } from './interfaces.ts';
import { decodeJson, encodeJson } from './json-object.ts';
import type { ProducerSnapshot } from './producer-states.ts';
import { type Patience, untilAvailable } from './until-available.ts';

/** One uploaded object and where its batches stand: pairs of first offset and position, sparse, the first at position 0. */
export interface Segment {
  readonly baseOffset: number;
  readonly endOffset: number;
  readonly key: string;
  readonly sizeBytes: number;
  readonly places: readonly (readonly [baseOffset: number, position: number])[];
}

/** Slots of one epoch that are not uploaded yet. */
export interface Extent {
  readonly epoch: number;
  /** Where its slots are, in the words of the write-ahead log. */
  readonly place: string;
  /** The trim point: no slot below it is needed by anybody. */
  readonly firstSlot: number;
  /** One past the last; null while its owner may still add to it. */
  readonly endSlot: number | null;
  /** Of the first slot. */
  readonly baseOffset: number;
}

export interface PartitionIndex {
  /** Unique to this state of the index: how a writer recognises its own commit when the answer was lost. */
  readonly commitId: string;
  /** Of the owner that claimed the index last. */
  readonly epoch: number;
  readonly logStart: number;
  readonly segments: readonly Segment[];
  /** In offset order; the open one last. */
  readonly extents: readonly Extent[];
  /** As of the end of the last segment. */
  readonly producers: ProducerSnapshot;
  readonly epochs: readonly EpochStart[];
}

/** An index together with the etag that a compare-and-set of it must name. */
export interface HeldIndex {
  readonly index: PartitionIndex;
  readonly etag: string;
}

/** Where the uploaded part of the log ends. */
export const uploadedEnd = (index: PartitionIndex): number => index.segments.at(-1)?.endOffset ?? index.logStart;

const EMPTY: Omit<PartitionIndex, 'commitId' | 'epoch'> = {
  logStart: 0,
  segments: [],
  extents: [],
  producers: [],
  epochs: [],
};

/**
 * The index after an owner with `epoch` has claimed it: `closed` are the extents that recovery found, and a new open one
 * begins at `baseOffset`, its slots at `place`. `index` is undefined for a partition without one.
 */
export const afterClaim = (
  index: PartitionIndex | undefined,
  claim: { readonly epoch: number; readonly commitId: string },
  place: string,
  closed: readonly Extent[],
  baseOffset: number,
): PartitionIndex => ({
  ...(index ?? EMPTY),
  ...claim,
  extents: [...closed, { epoch: claim.epoch, place, firstSlot: 0, endSlot: null, baseOffset }],
  epochs: beginEpoch(index?.epochs ?? [], claim.epoch, baseOffset),
});

/** The index after `segment` was uploaded, which ends with slot `last`. */
export const afterUpload = (
  index: PartitionIndex,
  commitId: string,
  segment: Segment,
  last: { readonly epoch: number; readonly slot: number },
  producers: ProducerSnapshot,
): PartitionIndex => ({
  ...index,
  commitId,
  segments: [...index.segments, segment],
  extents: index.extents
    .filter(({ epoch, endSlot }) => epoch > last.epoch || (epoch === last.epoch && endSlot !== last.slot + 1))
    .map((extent) =>
      extent.epoch === last.epoch ? { ...extent, firstSlot: last.slot + 1, baseOffset: segment.endOffset } : extent,
    ),
  producers,
});

/** Undefined when the partition has never had an owner. */
export const readIndex = async (meta: ConditionalStore, key: string): Promise<HeldIndex | undefined> => {
  const object = await meta.get(key);
  return object && { index: decodeJson(object.bytes, `the index ${key}`) as PartitionIndex, etag: object.etag };
};

/**
 * Replaces exactly the index that has `etag` (undefined: creates it). Undefined when another writer came first; then `next`
 * never takes effect, however late an abandoned attempt arrives, because no state of the index ever returns.
 */
export const commitIndex = async (
  meta: ConditionalStore,
  key: string,
  etag: string | undefined,
  next: PartitionIndex,
  patience: Patience,
): Promise<HeldIndex | undefined> => {
  const bytes = encodeJson(next);
  const condition = etag === undefined ? { ifNoneMatch: true as const } : { ifMatch: etag };
  return await untilAvailable(patience, 'committing the index', async () => {
    const result = await meta.put(key, bytes, condition);
    if (result.status === 'stored') return { index: next, etag: result.etag };
    const held = await readIndex(meta, key);
    return held?.index.commitId === next.commitId ? held : undefined;
  });
};
