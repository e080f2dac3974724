// What the index says after each of its two changes.
import { describe, expect, it } from 'vitest';
import { afterClaim, afterUpload, type PartitionIndex, type Segment, uploadedEnd } from './partition-index.ts';

const segment = (baseOffset: number, endOffset: number): Segment => ({
  baseOffset,
  endOffset,
  key: `data/${baseOffset}`,
  sizeBytes: 10,
  places: [[baseOffset, 0]],
});

const claimed = (): PartitionIndex => {
  const first = afterClaim(undefined, { epoch: 1, commitId: 'a' }, 'p1', [], 0);
  const closed = [{ epoch: 1, place: 'p1', firstSlot: 0, endSlot: 3, baseOffset: 0 }];
  return afterClaim(first, { epoch: 2, commitId: 'b' }, 'p2', closed, 30);
};

describe('afterClaim', () => {
  it('closes what was found and opens an extent of its own at the recovered end', () => {
    expect(claimed()).toMatchObject({
      commitId: 'b',
      epoch: 2,
      extents: [
        { epoch: 1, place: 'p1', firstSlot: 0, endSlot: 3, baseOffset: 0 },
        { epoch: 2, place: 'p2', firstSlot: 0, endSlot: null, baseOffset: 30 },
      ],
      epochs: [
        { epoch: 1, startOffset: 0 },
        { epoch: 2, startOffset: 30 },
      ],
    });
  });

  it('keeps what was uploaded and the producers', () => {
    const uploaded = afterUpload(claimed(), 'c', segment(0, 30), { epoch: 1, slot: 2 }, [[7, 0, [[0, 1, 0]]]]);
    const next = afterClaim(uploaded, { epoch: 3, commitId: 'd' }, 'p4', [], 30);
    expect(next.segments).toEqual(uploaded.segments);
    expect(next.producers).toEqual([[7, 0, [[0, 1, 0]]]]);
    expect(uploadedEnd(next)).toBe(30);
  });
});

describe('afterUpload', () => {
  it('moves the trim point of an extent that is uploaded in part', () => {
    const next = afterUpload(claimed(), 'c', segment(0, 20), { epoch: 1, slot: 1 }, []);
    expect(next.extents).toEqual([
      { epoch: 1, place: 'p1', firstSlot: 2, endSlot: 3, baseOffset: 20 },
      { epoch: 2, place: 'p2', firstSlot: 0, endSlot: null, baseOffset: 30 },
    ]);
  });

  it('drops a closed extent when its last slot is uploaded', () => {
    const next = afterUpload(claimed(), 'c', segment(0, 30), { epoch: 1, slot: 2 }, []);
    expect(next.extents).toEqual([{ epoch: 2, place: 'p2', firstSlot: 0, endSlot: null, baseOffset: 30 }]);
  });

  it('drops every earlier extent when an upload reaches into the open one', () => {
    const next = afterUpload(claimed(), 'c', segment(0, 40), { epoch: 2, slot: 0 }, []);
    expect(next.extents).toEqual([{ epoch: 2, place: 'p2', firstSlot: 1, endSlot: null, baseOffset: 40 }]);
  });
});
