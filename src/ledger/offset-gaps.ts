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
    let next = index + 1;
    while (ranges[next]?.readsBefore === end) next++;
    const together = ranges.slice(index, next);
    awaiting = end === taken ? together : [];
    groups.push(...splitByOffset(reads.slice(taken, end), together));
    taken = end;
    index = next;
  }
  if (taken < reads.length) groups.push(...splitByOffset(reads.slice(taken), awaiting));
  return groups;
};

/** The first index in `sorted` whose number is greater than `than`. */
const firstAbove = (sorted: readonly number[], than: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) > than) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The offsets between two edges of ranges next to each other lie in one range, or in none. */
class RangeMap {
  readonly #edges: readonly number[];
  /** By edge: which range holds what follows it; the first of several. */
  readonly #holders: readonly (number | undefined)[];

  constructor(ranges: readonly RangeView[]) {
    const edges = new Set(ranges.flatMap(({ from, position }) => [from, position]));
    this.#edges = [...edges].sort((one, other) => one - other);
    const holders = new Array<number | undefined>(this.#edges.length).fill(undefined);
    for (const [index, { from, position }] of ranges.entries()) {
      for (let edge = firstAbove(this.#edges, from) - 1; (this.#edges[edge] ?? position) < position; edge++) {
        holders[edge] ??= index;
      }
    }
    this.#holders = holders;
  }

  holderOf(offset: number): number | undefined {
    return this.#holders[firstAbove(this.#edges, offset) - 1];
  }

  /** A read cut where ranges begin and end, so that each piece lies in one range or in none. */
  cut(read: ReadRun): readonly ReadRun[] {
    const end = read.offset + read.count;
    const starts = [read.offset];
    for (let edge = firstAbove(this.#edges, read.offset); (this.#edges[edge] ?? end) < end; edge++) {
      starts.push(this.#edges[edge] as number);
    }
    if (starts.length === 1) return [read];
    return starts.map((offset, index): ReadRun => {
      const { id } = read;
      const moved = id === undefined ? {} : { id: { ...id, seq: id.seq + offset - read.offset } };
      return { ...read, ...moved, offset, count: (starts[index + 1] ?? end) - offset };
    });
  }
}

/** A read that no range holds belongs to the range that the read before it belonged to. */
const splitByOffset = (reads: readonly ReadRun[], ranges: readonly RangeView[]): (readonly ReadRun[])[] => {
  if (ranges.length < 2) return [reads];
  const groups = ranges.map((): ReadRun[] => []);
  const map = new RangeMap(ranges);
  let current = 0;
  for (const read of reads.flatMap((whole) => map.cut(whole))) {
    current = map.holderOf(read.offset) ?? current;
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
