import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsRange, joinRanges, type OffsetRange, rangesInside, rangesOutside } from './offset-ranges.ts';

const SPAN = 40;
const range = fc.tuple(fc.nat(SPAN), fc.nat(SPAN)).map(([from, to]): OffsetRange => ({ from, to }));
const setOf = (ranges: readonly OffsetRange[]): ReadonlySet<number> => {
  const members = new Set<number>();
  for (const { from, to } of ranges) for (let offset = from; offset < to; offset++) members.add(offset);
  return members;
};

describe('offset ranges', () => {
  it('join to the same set, sorted and disjoint', () => {
    fc.assert(
      fc.property(fc.array(range), (ranges) => {
        const joined = joinRanges(ranges);
        expect([...setOf(joined)]).toEqual([...setOf(ranges)].sort((one, other) => one - other));
        joined.forEach((each, index) => {
          const before = joined[index - 1];
          expect(before === undefined || before.to < each.from).toBe(true);
        });
      }),
    );
  });

  it('inside and outside a whole are a partition of it', () => {
    fc.assert(
      fc.property(range, fc.array(range), (whole, ranges) => {
        const joined = joinRanges(ranges);
        const inside = setOf(rangesInside(whole, joined));
        const outside = setOf(rangesOutside(whole, joined));
        expect([...inside].filter((offset) => outside.has(offset))).toEqual([]);
        expect([...inside, ...outside].sort((one, other) => one - other)).toEqual([...setOf([whole])]);
        const members = setOf(joined);
        expect([...inside].every((offset) => members.has(offset))).toBe(true);
      }),
    );
  });

  it('hold a range only as a whole', () => {
    const joined = joinRanges([
      { from: 0, to: 5 },
      { from: 5, to: 10 },
      { from: 12, to: 20 },
    ]);
    expect(holdsRange(joined, { from: 2, to: 8 })).toBe(true);
    expect(holdsRange(joined, { from: 8, to: 13 })).toBe(false);
  });
});
