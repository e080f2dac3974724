// What stands at an offset, and where passes disagree about it (history.md 4).
import type { PartitionView } from './partition-view.ts';
import { RangeSet } from './range-set.ts';
import type { ReadRun } from './run-facts.ts';

/** A record of the run in the partition that it was sent to. */
export const ownRecordKey = (producer: string, incarnation: number, seq: number): string =>
  `record ${seq} of ${producer} (incarnation ${incarnation})`;

/** One text per record, so that two reads of one offset can be compared; undefined = a control record, which is nothing. */
const recordKey = (view: PartitionView, read: ReadRun, offset: number): string | undefined => {
  if (read.control) return undefined;
  if (read.sentinel) return 'the sentinel';
  const { id, foreign } = read;
  if (id === undefined) return foreign === undefined ? 'a foreign record' : `a record of another run (${foreign})`;
  const own = ownRecordKey(id.producer, id.incarnation, id.seq + offset - read.offset);
  return id.partition === view.partition ? own : `${own} sent to partition ${id.partition}`;
};

/** The read of a sweep (rising, disjoint) that holds `offset`. */
const findRead = (sweep: readonly ReadRun[], offset: number): ReadRun | undefined => {
  let low = 0;
  let high = sweep.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const read = sweep[middle] as ReadRun;
    if (read.offset + read.count > offset) high = middle;
    else low = middle + 1;
  }
  const read = sweep[low];
  return read !== undefined && read.offset <= offset ? read : undefined;
};

/** What the passes show at an offset, control records left out; each kind of record once. */
export const standingAt = (view: PartitionView, offset: number): ReadonlyMap<string, ReadRun> => {
  const standing = new Map<string, ReadRun>();
  for (const { sweeps } of view.passes) {
    for (const sweep of sweeps) {
      const read = findRead(sweep, offset);
      const key = read === undefined ? undefined : recordKey(view, read, offset);
      if (read !== undefined && key !== undefined) standing.set(key, read);
    }
  }
  return standing;
};

/** Both reads show the same records wherever they overlap. */
const agree = (one: ReadRun, other: ReadRun): boolean => {
  if (one.id !== undefined && other.id !== undefined) {
    return (
      one.offset - one.id.seq === other.offset - other.id.seq &&
      one.id.producer === other.id.producer &&
      one.id.incarnation === other.id.incarnation &&
      one.id.partition === other.id.partition
    );
  }
  return (
    one.control ||
    other.control ||
    (one.id === other.id && one.sentinel === other.sentinel && one.foreign === other.foreign)
  );
};

const compareSweeps = (
  one: readonly ReadRun[],
  other: readonly ReadRun[],
  differ: (first: number, last: number) => void,
): void => {
  let left = 0;
  let right = 0;
  for (;;) {
    const a = one[left];
    const b = other[right];
    if (a === undefined || b === undefined) return;
    const aEnd = a.offset + a.count;
    const bEnd = b.offset + b.count;
    const end = Math.min(aEnd, bEnd);
    const from = Math.max(a.offset, b.offset);
    if (from < end && !agree(a, b)) differ(from, end - 1);
    if (aEnd <= bEnd) left++;
    if (bEnd <= aEnd) right++;
  }
};

const known = new WeakMap<PartitionView, RangeSet>();

/** The offsets at which two passes show different records. */
export const disagreements = (view: PartitionView): RangeSet => {
  const before = known.get(view);
  if (before !== undefined) return before;
  const offsets = new RangeSet();
  view.passes.forEach((pass, position) => {
    for (const other of view.passes.slice(position + 1)) {
      for (const left of pass.sweeps) {
        for (const right of other.sweeps) compareSweeps(left, right, (first, last) => offsets.add(first, last));
      }
    }
  });
  known.set(view, offsets);
  return offsets;
};
