// Acknowledged offsets that cannot all be true: records that were acknowledged at one offset and records that stand elsewhere
// (history.md 4, 5). Two checkers need them, one to report and one to be silent.
import type { PartitionView } from './partition-view.ts';
import { covers, isCrediblyComplete } from './partition-view.ts';
import type { SentView } from './sent-view.ts';
import { forEachSuspect, type SuspectRecord, suspectRecord } from './sightings.ts';
import { disagreements, ownRecordKey, standingAt } from './standing.ts';

/** Records acknowledged at one offset, of which at most one can be stored there. */
export interface DuplicateAck {
  readonly offset: number;
  readonly records: readonly SuspectRecord[];
}

const standsElsewhere = (view: PartitionView, record: SuspectRecord): boolean =>
  record.sightings.some(({ partition, offset }) => partition !== view.partition || offset !== record.offset);

/** Two of them stand nowhere else, and not both are seen. */
const cannotBothStand = (view: PartitionView, records: readonly SuspectRecord[]): boolean => {
  const bound = records.filter((record) => !standsElsewhere(view, record));
  const seen = bound.filter(({ sightings }) => sightings.length > 0).length;
  return bound.length >= 2 && seen < bound.length;
};

/** A record of its own partition as `standingAt` names it. */
export const nameOf = ({ sent, seq }: SuspectRecord): string =>
  ownRecordKey(sent.run.producer, sent.run.incarnation, seq);

/** One of them is lost and another one stands in its place. */
const tookThePlace = (view: PartitionView, records: readonly SuspectRecord[], offset: number): boolean => {
  if (disagreements(view).has(offset) || records.every(({ sightings }) => sightings.length > 0)) return false;
  const standing = standingAt(view, offset);
  return records.some((record) => standing.has(nameOf(record)));
};

const firstOf = ({ run }: SentView): number => run.offset as number;
const lastOf = ({ run }: SentView): number => (run.offset as number) + run.count - 1;

/** Batches with a trusted offset that may share it, rising. */
const ackedBatches = (view: PartitionView): SentView[] =>
  view.lanes
    .flatMap(({ sent }) => sent.filter((one) => one.isSuspect && one.run.offset !== undefined))
    .sort((one, other) => firstOf(one) - firstOf(other));

/** Calls `each` for each shared offset, with the records that were acknowledged there. */
const forEachShared = (
  view: PartitionView,
  each: (offset: number, records: readonly SuspectRecord[]) => void,
): void => {
  const batches = ackedBatches(view);
  let next = 0;
  let near: SentView[] = [];
  for (const { first, last } of view.shared) {
    near = near.filter((batch) => lastOf(batch) >= first);
    for (let batch = batches[next]; batch !== undefined && firstOf(batch) <= last; batch = batches[++next]) {
      if (lastOf(batch) >= first) near.push(batch);
    }
    for (let offset = first; offset <= last; offset++) {
      const there = near.filter((batch) => firstOf(batch) <= offset && offset <= lastOf(batch));
      each(
        offset,
        there.map((sent) => suspectRecord(sent, sent.run.seq + offset - firstOf(sent))),
      );
    }
  }
};

const found = new WeakMap<PartitionView, readonly DuplicateAck[]>();

/** Every `duplicate-ack-offset` of the partition, by offset. */
export const duplicateAcks = (view: PartitionView): readonly DuplicateAck[] => {
  const known = found.get(view);
  if (known !== undefined) return known;
  const duplicates: DuplicateAck[] = [];
  forEachShared(view, (offset, records) => {
    if (records.length < 2) return;
    if (cannotBothStand(view, records) || tookThePlace(view, records, offset)) duplicates.push({ offset, records });
  });
  found.set(view, duplicates);
  return duplicates;
};

/** Seen in its partition, but never where it was acknowledged. */
export const isAckOffsetMismatch = (view: PartitionView, record: SuspectRecord): boolean => {
  const { offset, sent, sightings } = record;
  if (offset === undefined) return false;
  const own = sightings.filter(({ partition }) => partition === view.partition);
  if (own.length === 0 || own.some((sighting) => sighting.offset === offset)) return false;
  return !sent.run.tainted || view.passes.some(({ ranges }) => covers(ranges, offset) || isCrediblyComplete(ranges));
};

/** Whether any record of the partition is an `ack-offset-mismatch`. */
export const hasAckOffsetMismatch = (view: PartitionView): boolean => {
  let found = false;
  forEachSuspect(view, (record) => {
    found ||= isAckOffsetMismatch(view, record);
  });
  return found;
};
