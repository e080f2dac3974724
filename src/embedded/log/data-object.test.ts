// Which bytes of an object a read asks for.
import { describe, expect, it } from 'vitest';
import { encodeTinyBatch, tinyBatchFormat } from '../../../test/log-model/tiny-batch.ts';
import { batchesIn, joinBytes, nextStretch, placesOf, rangeFor } from './data-object.ts';
import type { Segment } from './partition-index.ts';

const SEGMENT: Segment = {
  baseOffset: 100,
  endOffset: 400,
  key: 'k',
  sizeBytes: 3500,
  places: [
    [100, 0],
    [200, 1000],
    [300, 2000],
  ],
};

describe('rangeFor', () => {
  it('reads from the place at or below the offset to the next one', () => {
    expect(rangeFor(SEGMENT, 100, 1)).toEqual({ start: 0, end: 999 });
    expect(rangeFor(SEGMENT, 299, 1)).toEqual({ start: 1000, end: 1999 });
  });

  it('reads to the end of the object behind the last place', () => {
    expect(rangeFor(SEGMENT, 399, 1)).toEqual({ start: 2000, end: 3499 });
  });

  it('takes further whole stretches while they fit', () => {
    expect(rangeFor(SEGMENT, 150, 1999)).toEqual({ start: 0, end: 999 });
    expect(rangeFor(SEGMENT, 150, 2000)).toEqual({ start: 0, end: 1999 });
    expect(rangeFor(SEGMENT, 150, 3499)).toEqual({ start: 0, end: 1999 });
    expect(rangeFor(SEGMENT, 150, 3500)).toEqual({ start: 0, end: 3499 });
  });
});

describe('nextStretch', () => {
  it('is the next place, or the end of the segment', () => {
    expect([100, 199, 200, 350].map((offset) => nextStretch(SEGMENT, offset))).toEqual([200, 200, 300, 400]);
  });
});

describe('placesOf', () => {
  it('notes the first batch and then one for about every so many bytes', () => {
    const batches = Array.from({ length: 2000 }, (_, id) => {
      const bytes = encodeTinyBatch({ id, recordCount: 1, producerId: -1, baseSequence: 0 });
      tinyBatchFormat.stamp(bytes, 0, id, 1);
      return bytes;
    });
    const bytes = joinBytes(batches);
    const places = placesOf(batchesIn(tinyBatchFormat, bytes), 64 * 1024);
    expect(places[0]).toEqual([0, 0]);
    expect(places.length).toBe(Math.ceil(bytes.length / (64 * 1024)));
    for (const [offset, position] of places) {
      expect(tinyBatchFormat.read(bytes, position).baseOffset).toBe(offset);
    }
  });
});
