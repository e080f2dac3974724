// Walks each pass range by range: the holes it jumped over, and the places where it went back (history.md 11, 12). The judge
// of losses needs the holes too, so they are found here once and not in a checker.
import type { PartitionView, PassView } from './partition-view.ts';
import type { ReadRun } from './run-facts.ts';

/** Offsets `first … last` that a range went past without returning anything there. */
export interface OffsetGap {
  readonly pass: number;
  readonly first: number;
  readonly last: number;
  readonly epochBefore: number | undefined;
  readonly epochAfter: number | undefined;
}

/** The reads of a pass by range, each in the order returned; a read outside every range stays with the one before it. */
export const readsByRange = (pass: PassView): readonly (readonly ReadRun[])[] => {
  if (pass.ranges.length < 2) return [pass.reads];
  const groups = pass.ranges.map((): ReadRun[] => []);
  let current = 0;
  for (const read of pass.reads) {
    const found = pass.ranges.findIndex(({ from, position }) => from <= read.offset && read.offset < position);
    if (found !== -1) current = found;
    groups[current]?.push(read);
  }
  return groups;
};

const gapsOfRange = (pass: number, reads: readonly ReadRun[]): OffsetGap[] => {
  const gaps: OffsetGap[] = [];
  let next: number | undefined;
  let epochBefore: number | undefined;
  for (const read of reads) {
    if (next !== undefined && read.offset > next) {
      gaps.push({ pass, first: next, last: read.offset - 1, epochBefore, epochAfter: read.epoch });
    }
    const end = read.offset + read.count;
    if (next === undefined || end >= next) {
      next = end;
      epochBefore = read.epoch;
    }
  }
  return gaps;
};

const found = new WeakMap<PartitionView, readonly OffsetGap[]>();

/** All holes of all passes; none where compaction or transactions leave them by nature. */
export const offsetGaps = (view: PartitionView): readonly OffsetGap[] => {
  if (view.topic.compacted || view.contract.transactions) return [];
  const known = found.get(view);
  if (known !== undefined) return known;
  const gaps = view.passes.flatMap((pass) => readsByRange(pass).flatMap((reads) => gapsOfRange(pass.index, reads)));
  found.set(view, gaps);
  return gaps;
};
