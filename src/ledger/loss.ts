// Which kind of loss an acknowledged record is that no pass shows (history.md 2): exactly one, the strongest proof first.
import type { Anomaly } from '../vocabulary.ts';
import { ruleOnLostPrefix } from './legality.ts';
import { covers, isCrediblyComplete, type PartitionView, type SnapshotView } from './partition-view.ts';
import { isBefore, type Moment } from './run-facts.ts';
import type { SuspectRecord } from './sightings.ts';

export type Loss = Extract<Anomaly, 'log-reset' | 'lost-prefix' | 'lost-tail' | 'unseen' | 'lost-write'>;

/** The log is another one than at the beginning, or ends below where it ended then. */
const wasReset = (view: PartitionView): boolean => {
  const last = view.snapshots.findLast(({ stale }) => !stale);
  return (
    view.topicIdChanged || (view.baseline !== undefined && last !== undefined && last.latest < view.baseline.latest)
  );
};

const isLostPrefix = (view: PartitionView, record: SuspectRecord): boolean => {
  const { offset } = record;
  if (offset !== undefined) {
    return offset < view.logStart && !view.passes.some(({ ranges }) => covers(ranges, offset));
  }
  const earliest = view.baseline?.earliest ?? 0;
  const sawTheBeginning = view.passes.some(({ ranges }) =>
    ranges.some(({ from, credible }) => credible && from <= earliest),
  );
  return !sawTheBeginning && view.logStart > earliest && ruleOnLostPrefix(view, record).legal;
};

/** A snapshot that proves where the log ended after the ack. */
const provesEnd = (view: PartitionView, snapshot: SnapshotView, acked: Moment, epoch: number | undefined): boolean => {
  if (snapshot.stale || !isBefore(acked, snapshot)) return false;
  if (epoch !== undefined && snapshot.epoch !== undefined && snapshot.epoch < epoch) return false;
  return view.contract.acks === 'all' || snapshot.when === 'after-producers' || snapshot.when === 'after-replay';
};

const isLostTail = (view: PartitionView, record: SuspectRecord): boolean => {
  const { offset, sent } = record;
  const acked = sent.run.settled;
  if (offset === undefined || acked === undefined) return false;
  return (
    view.snapshots.some((snapshot) => offset >= snapshot.latest && provesEnd(view, snapshot, acked, sent.run.epoch)) ||
    view.sentinels.some((sentinel) => offset >= sentinel.offset && isBefore(acked, sentinel)) ||
    view.passes.some(({ ranges }) => ranges.some(({ position, credible }) => credible && offset >= position))
  );
};

const isUnseen = (view: PartitionView, { offset }: SuspectRecord): boolean =>
  offset === undefined
    ? !view.passes.some(({ ranges }) => isCrediblyComplete(ranges))
    : !view.passes.some(({ ranges }) => covers(ranges, offset));

/** Undefined = it was seen, or was never acknowledged. */
export const lossOf = (view: PartitionView, record: SuspectRecord): Loss | undefined => {
  if (record.sent.run.outcome !== 'ok' || record.sightings.length > 0) return undefined;
  if (wasReset(view)) return 'log-reset';
  if (isLostPrefix(view, record)) return 'lost-prefix';
  if (isLostTail(view, record)) return 'lost-tail';
  return isUnseen(view, record) ? 'unseen' : 'lost-write';
};
