import { describe, expect, it } from 'vitest';
import { coldShortfall } from './cold-pass.ts';

const shortfall = (reads: number, coldOffsets: number, uncoveredOffsets: number): string | undefined =>
  coldShortfall({ facts: { coldOffsets, uncoveredOffsets }, store: { reads, rangedReads: reads, bytes: reads } });

describe('a cold pass', () => {
  it('counts where brokers read the store, and every offset came from there', () => {
    expect(shortfall(3, 100, 0)).toBeUndefined();
  });

  it('does not count where no read of the store was seen, also where there was nothing to read', () => {
    expect(shortfall(0, 0, 100)).toMatch(/^no read of the object store was seen/);
    expect(shortfall(0, 0, 0)).toMatch(/^no read of the object store was seen/);
  });

  it('does not count for offsets of another origin', () => {
    expect(shortfall(3, 99, 1)).toMatch(/^1 offsets of the cold pass were not read from the object store/);
  });
});
