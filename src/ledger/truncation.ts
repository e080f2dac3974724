// Can a cut of the log's tail have taken a record? A truncation only cuts a suffix, so a record of the same or an older epoch
// that survives above it, or two reads of one epoch around it, refute it (history.md 14 g).
import { hasOwnId, LaneIndex } from './lane-index.ts';
import { offsetGaps } from './offset-gaps.ts';
import type { PartitionView } from './partition-view.ts';

interface Survivors {
  /** Last offsets of reads with a known epoch, rising. */
  readonly lasts: readonly number[];
  /** The lowest epoch at or after each of them. */
  readonly lowestFrom: readonly number[];
  /** Offsets inside holes between two reads of one epoch; disjoint, rising. */
  readonly holes: readonly { readonly first: number; readonly last: number }[];
}

/** Last offset and epoch of each stretch of reads: the read's own epoch, else that of the record's untainted ack there. */
const survivingEpochs = (view: PartitionView): [number, number][] => {
  const seen: [number, number][] = [];
  const index = new LaneIndex(view.lanes);
  for (const { reads } of view.passes) {
    for (const read of reads) {
      if (read.epoch !== undefined) seen.push([read.offset + read.count - 1, read.epoch]);
      else if (hasOwnId(read, view.partition)) {
        index.match(
          read,
          ({ run }, seq, count, offset) => {
            if (run.epoch === undefined || run.tainted || run.offset !== offset - (seq - run.seq)) return;
            seen.push([offset + count - 1, run.epoch]);
          },
          () => undefined,
        );
      }
    }
  }
  return seen.sort((one, other) => one[0] - other[0]);
};

const mergeHoles = (holes: readonly { first: number; last: number }[]): { first: number; last: number }[] => {
  const merged: { first: number; last: number }[] = [];
  for (const hole of [...holes].sort((one, other) => one.first - other.first)) {
    const before = merged.at(-1);
    if (before !== undefined && hole.first <= before.last + 1) before.last = Math.max(before.last, hole.last);
    else merged.push({ ...hole });
  }
  return merged;
};

const buildSurvivors = (view: PartitionView): Survivors => {
  const seen = survivingEpochs(view);
  const lowestFrom = seen.map(([, epoch]) => epoch);
  for (let index = lowestFrom.length - 2; index >= 0; index--) {
    lowestFrom[index] = Math.min(lowestFrom[index] as number, lowestFrom[index + 1] as number);
  }
  const holes = offsetGaps(view).filter((gap) => gap.epochBefore !== undefined && gap.epochBefore === gap.epochAfter);
  return { lasts: seen.map(([last]) => last), lowestFrom, holes: mergeHoles(holes) };
};

const built = new WeakMap<PartitionView, Survivors>();

const survivorsOf = (view: PartitionView): Survivors => {
  const known = built.get(view);
  if (known !== undefined) return known;
  const survivors = buildSurvivors(view);
  built.set(view, survivors);
  return survivors;
};

/** Index of the first element for which `after` holds; elements are ordered by it. */
const firstWhere = <T>(list: readonly T[], after: (element: T) => boolean): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (after(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Why no truncation can have taken a record acknowledged at `offset` by `epoch`; undefined = one can have. */
export const isRefuted = (
  view: PartitionView,
  offset: number | undefined,
  epoch: number | undefined,
): string | undefined => {
  if (offset === undefined) return undefined;
  const { lasts, lowestFrom, holes } = survivorsOf(view);
  if (epoch !== undefined) {
    const lowest = lowestFrom[firstWhere(lasts, (last) => last > offset)];
    if (lowest !== undefined && lowest <= epoch) return 'a record of its epoch survives above it: no cut tail';
  }
  const hole = holes[firstWhere(holes, ({ last }) => last >= offset)];
  return hole !== undefined && hole.first <= offset ? 'a hole between two reads of one epoch: no cut tail' : undefined;
};
