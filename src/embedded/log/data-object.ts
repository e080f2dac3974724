// Building one data object from batches, and finding the part of it that a read needs.
import type { BatchFormat, BatchHeader, ByteRange } from './interfaces.ts';
import type { Segment } from './partition-index.ts';

export interface BatchAt {
  readonly header: BatchHeader;
  /** Where it begins. */
  readonly at: number;
}

/** Every batch in `bytes`, in order. */
export const batchesIn = (format: BatchFormat, bytes: Uint8Array): readonly BatchAt[] => {
  const found: BatchAt[] = [];
  for (let at = 0; at < bytes.length; ) {
    const header = format.read(bytes, at);
    found.push({ header, at });
    at += header.lengthBytes;
  }
  return found;
};

export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
};

/** Where a reader may begin in an object made of these batches: at the first, and then at least `placeBytes` apart. */
export const placesOf = (batches: readonly BatchAt[], placeBytes: number): Segment['places'] => {
  const places: (readonly [number, number])[] = [];
  let noted = Number.NEGATIVE_INFINITY;
  for (const { header, at } of batches) {
    if (at - noted < placeBytes) continue;
    places.push([header.baseOffset, at]);
    noted = at;
  }
  return places;
};

/** The first place whose offset is above `offset`; the number of places when there is none. */
const placeAbove = (segment: Segment, offset: number): number => {
  const above = segment.places.findIndex(([baseOffset]) => baseOffset > offset);
  return above === -1 ? segment.places.length : above;
};

/**
 * The bytes to read for `offset`: from the nearest place at or below it, as many whole stretches between places as fit in
 * `maxBytes`, at least one.
 */
export const rangeFor = (segment: Segment, offset: number, maxBytes: number): ByteRange => {
  const { places, sizeBytes } = segment;
  let next = placeAbove(segment, offset);
  const start = places[next - 1]?.[1] ?? 0;
  while (next < places.length && (places[next + 1]?.[1] ?? sizeBytes) - start <= maxBytes) next++;
  return { start, end: (places[next]?.[1] ?? sizeBytes) - 1 };
};

/** The first offset of the stretch after the one that holds `offset`; the segment's end when it is the last. */
export const nextStretch = (segment: Segment, offset: number): number =>
  segment.places[placeAbove(segment, offset)]?.[0] ?? segment.endOffset;
