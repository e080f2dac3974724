// Walks each pass range by range: the holes it jumped over, and the places where it went back (history.md 11, 12). The judge
// of losses needs the holes too, so they are found here once and not in a checker.
import type { PartitionView, PassView, RangeView } from './partition-view.ts';
import type { ReadRun } from './run-facts.ts';

/** Offsets `first … last` that a range jumped over from one read to the next. */
export interface OffsetGap {
  readonly pass: number;
  readonly first: number;
  readonly last: number;
  readonly epochBefore: number | undefined;
  readonly epochAfter: number | undefined;
}

/**
 * The reads of a pass by range, each in the order returned. A range is mostly recorded right after its reads; where several
 * are recorded together, before or after what was read of them, a read belongs to the one that holds its offset.
 */
export const readsByRange = (pass: PassView): readonly (readonly ReadRun[])[] => {
  const { ranges, reads } = pass;
  if (ranges.length < 2 && (ranges[0]?.readsBefore ?? reads.length) === reads.length) return [reads];
  const groups: (readonly ReadRun[])[] = [];
  let taken = 0;
  /** Ranges that were recorded with no reads before them: theirs may follow. */
  let awaiting: readonly RangeView[] = [];
  for (let index = 0; index < ranges.length; ) {
    const end = ranges[index]?.readsBefore ?? reads.length;
    const together = ranges.slice(index).filter(({ readsBefore }) => readsBefore === end);
    awaiting = end === taken ? together : [];
    groups.push(...splitByOffset(reads.slice(taken, end), together));
    taken = end;
    index += together.length;
  }
  if (taken < reads.length) groups.push(...splitByOffset(reads.slice(taken), awaiting));
  return groups;
};

/** A read cut where ranges begin and end, so that each piece lies in one range or in none. */
const cutAtRanges = (read: ReadRun, ranges: readonly RangeView[]): readonly ReadRun[] => {
  const end = read.offset + read.count;
  const isInside = (offset: number): boolean => read.offset < offset && offset < end;
  const inside = ranges.flatMap(({ from, position }) => [from, position]).filter(isInside);
  if (inside.length === 0) return [read];
  const starts = [read.offset, ...new Set(inside.sort((one, other) => one - other))];
  return starts.map((offset, index): ReadRun => {
    const { id } = read;
    const moved = id === undefined ? {} : { id: { ...id, seq: id.seq + offset - read.offset } };
    return { ...read, ...moved, offset, count: (starts[index + 1] ?? end) - offset };
  });
};

/** A read that no range holds belongs to the range that the read before it belonged to. */
const splitByOffset = (reads: readonly ReadRun[], ranges: readonly RangeView[]): (readonly ReadRun[])[] => {
  if (ranges.length < 2) return [reads];
  const groups = ranges.map((): ReadRun[] => []);
  let current = 0;
  for (const read of reads.flatMap((whole) => cutAtRanges(whole, ranges))) {
    const holder = ranges.findIndex(({ from, position }) => from <= read.offset && read.offset < position);
    if (holder !== -1) current = holder;
    groups[current]?.push(read);
  }
  return groups;
};

const gapsOfRange = (pass: number, reads: readonly ReadRun[]): OffsetGap[] => {
  const gaps: OffsetGap[] = [];
  let before: ReadRun | undefined;
  for (const read of reads) {
    const next = before === undefined ? read.offset : before.offset + before.count;
    if (read.offset > next) {
      gaps.push({ pass, first: next, last: read.offset - 1, epochBefore: before?.epoch, epochAfter: read.epoch });
    }
    before = read;
  }
  return gaps;
};

const found = new WeakMap<PartitionView, readonly OffsetGap[]>();

/** Offsets of control records, whichever pass showed them. */
const controlOffsets = (view: PartitionView): ReadonlySet<number> => {
  const offsets = new Set<number>();
  for (const { reads } of view.passes) {
    for (const { control, offset, count } of reads) {
      for (let at = offset; control && at < offset + count; at++) offsets.add(at);
    }
  }
  return offsets;
};

const isFilled = ({ first, last }: OffsetGap, control: ReadonlySet<number>): boolean => {
  if (last - first >= control.size) return false;
  for (let offset = first; offset <= last; offset++) if (!control.has(offset)) return false;
  return true;
};

/** All holes of all passes; none where control records fill them, or where compaction or transactions leave them by nature. */
export const offsetGaps = (view: PartitionView): readonly OffsetGap[] => {
  if (view.topic.compacted || view.contract.transactions) return [];
  const known = found.get(view);
  if (known !== undefined) return known;
  const gaps = view.passes.flatMap((pass) => readsByRange(pass).flatMap((reads) => gapsOfRange(pass.index, reads)));
  const control = gaps.length === 0 ? new Set<number>() : controlOffsets(view);
  const open = gaps.filter((gap) => !isFilled(gap, control));
  found.set(view, open);
  return open;
};
