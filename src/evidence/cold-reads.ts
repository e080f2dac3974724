// Which offsets a replay pass really had from data objects, by the object store's own request log. A read that stands in no log
// line of the pass may have come from a broker's memory and proves nothing about what is stored.
import type { ObjectRecords, ObjectStoreAccess, StoreRequest } from '../targets/target.ts';
import { type BatchHeader, readBatchHeader } from '../wire/batch-header.ts';
import { WireError } from '../wire/wire-error.ts';
import { holdsRange, joinRanges, type OffsetRange, rangesInside, rangesOutside } from './offset-ranges.ts';

/** One partition as a pass read it, and the moments (wall clock) between which it did. */
export interface ColdPass {
  readonly topicId: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
  /** From here on brokers have it on their own disks, as the target tells: no read of the store is asked for. */
  readonly localFrom?: number;
}

export interface ColdReads {
  readonly topicId: string;
  readonly partition: number;
  /** Offsets of the pass that whole GETs of the partition's data objects cover, made by brokers within the pass. */
  readonly covered: readonly OffsetRange[];
  /** The rest: a cold pass does not count for these. */
  readonly uncovered: readonly OffsetRange[];
  /** Offsets of the pass from `localFrom` on, among neither of them. */
  readonly localOffsets: number;
}

const OBJECTS_AT_ONCE = 8;

interface ReadObject {
  readonly key: string;
  readonly records: ObjectRecords;
  readonly whole: boolean;
  /** Byte positions read, joined. */
  readonly positions: readonly OffsetRange[];
}

/** The moments (wall clock) between which a pass was read. */
type ColdWindow = Pick<ColdPass, 'sinceWallMs' | 'untilWallMs'>;

const isRead = (request: StoreRequest, { sinceWallMs, untilWallMs }: ColdWindow): boolean =>
  request.method === 'GET' &&
  (request.status === 200 || request.status === 206) &&
  request.complete &&
  request.listener === 'data' &&
  request.at >= sinceWallMs &&
  request.at <= untilWallMs;

/** Reads of the store by brokers, counted on their path. */
export interface StoreReads {
  readonly reads: number;
  /** Those that asked for a part of an object. */
  readonly rangedReads: number;
  readonly bytes: number;
}

/** Whole GETs of data objects of these topics that brokers made within the window. */
export const countStoreReads = (
  requests: readonly StoreRequest[],
  window: ColdWindow,
  topicIds: ReadonlySet<string>,
  describeKey: ObjectStoreAccess['describeKey'],
): StoreReads => {
  const read = requests.filter((request) => {
    const records = isRead(request, window) ? describeKey?.(request.key) : undefined;
    return records !== undefined && topicIds.has(records.topicId);
  });
  return {
    reads: read.length,
    rangedReads: read.filter(({ range }) => range !== undefined).length,
    bytes: read.reduce((sum, { responseBytes }) => sum + responseBytes, 0),
  };
};

const objectsRead = (
  pass: ColdPass,
  requests: readonly StoreRequest[],
  describeKey: NonNullable<ObjectStoreAccess['describeKey']>,
): readonly ReadObject[] => {
  const byKey = new Map<string, { readonly records: ObjectRecords; readonly reads: StoreRequest[] }>();
  for (const request of requests) {
    const records = isRead(request, pass) ? describeKey(request.key) : undefined;
    if (records?.topicId !== pass.topicId || records.partition !== pass.partition) continue;
    const entry = byKey.get(request.key) ?? { records, reads: [] };
    entry.reads.push(request);
    byKey.set(request.key, entry);
  }
  return [...byKey].map(([key, { records, reads }]) => ({
    key,
    records,
    whole: reads.some((read) => read.range === undefined),
    positions: joinRanges(reads.flatMap(({ range }) => (range ? [{ from: range.first, to: range.last + 1 }] : []))),
  }));
};

const headerAt = (bytes: Buffer, at: number): BatchHeader | undefined => {
  try {
    return readBatchHeader(bytes, at);
  } catch (thrown) {
    if (thrown instanceof WireError) return undefined;
    throw thrown;
  }
};

/** The offsets of the batches in `bytes` that lie wholly in the byte positions read; what is no batch ends the list. */
const batchesWithin = (bytes: Uint8Array, positions: readonly OffsetRange[]): readonly OffsetRange[] => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: OffsetRange[] = [];
  for (let at = 0; at < buffer.length; ) {
    const header = headerAt(buffer, at);
    if (header === undefined) break;
    const end = at + header.totalBytes;
    if (holdsRange(positions, { from: at, to: end })) {
      found.push({ from: header.baseOffset, to: header.baseOffset + header.lastOffsetDelta + 1 });
    }
    at = end;
  }
  return found;
};

const offsetsOf = async (
  object: ReadObject,
  store: ObjectStoreAccess,
  signal: AbortSignal,
): Promise<readonly OffsetRange[]> => {
  const { baseOffset, endOffset } = object.records;
  if (object.whole) return [{ from: baseOffset, to: endOffset }];
  const bytes = await store.get(object.key, signal);
  return bytes === undefined ? [] : batchesWithin(bytes, object.positions);
};

/** A few objects at a time: together they may be the whole topic. */
const allOffsetsOf = async (
  objects: readonly ReadObject[],
  store: ObjectStoreAccess,
  signal: AbortSignal,
): Promise<readonly OffsetRange[]> => {
  const found: OffsetRange[] = [];
  for (let next = 0; next < objects.length; next += OBJECTS_AT_ONCE) {
    const some = objects.slice(next, next + OBJECTS_AT_ONCE);
    const offsets = await Promise.all(some.map(async (object) => await offsetsOf(object, store, signal)));
    found.push(...offsets.flat());
  }
  return found;
};

/**
 * Accounts for one partition of a pass. `requests` is the store's log since the pass began or earlier. Objects that were read
 * in part are looked at by the harness itself, to see which batches the part held.
 */
export const accountColdReads = async (
  pass: ColdPass,
  requests: readonly StoreRequest[],
  store: ObjectStoreAccess,
  signal: AbortSignal,
): Promise<ColdReads> => {
  const { topicId, partition, from, localFrom = pass.to } = pass;
  const to = Math.max(from, Math.min(pass.to, localFrom));
  const objects = objectsRead(pass, requests, (key) => store.describeKey?.(key));
  const joined = joinRanges(await allOffsetsOf(objects, store, signal));
  return {
    topicId,
    partition,
    covered: rangesInside({ from, to }, joined),
    uncovered: rangesOutside({ from, to }, joined),
    localOffsets: Math.max(0, pass.to - to),
  };
};
