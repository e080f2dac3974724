// Rules 7 to 10: records that should not be there, or not before others.
import type { Partition, Read, SentRecord } from './history.ts';
import { type Instance, instance } from './instance.ts';
import { ILLEGAL, type Lawfulness, LEGAL, lossOf } from './legality.ts';
import { baselineOf, isCompacted, isSeen, logStartOf, ownReads, startAtBaseline, trustedRecords } from './log-facts.ts';
import { ackOffsetMismatch, duplicateAckOffset } from './what-stands-where.ts';

/** Rule 7: "`failed-visible`: a definite `fail` that is seen. Illegal always." */
export const failedVisible = (log: Partition): Instance[] =>
  log.sent
    .filter((record) => record.outcome === 'fail' && isSeen(record))
    .map((record) => instance('failed-visible', record, ILLEGAL));

/** "the first pass with lines for that partition" */
const firstPassWithLines = (log: Partition): string | undefined =>
  log.passes.find((pass) => [...log.reads, ...log.ranges].some((line) => line.pass === pass));

const isTaintedOrNotOk = (record: SentRecord): boolean => record.tainted || record.outcome !== 'ok';

/**
 * Rule 8: "Legal with idempotence off when, for each such earlier record above it, one of the two is tainted, not `ok`, or
 * took more than one attempt; with idempotence on, when each such earlier record is tainted or not `ok` and the log start
 * is above the baseline's `earliest` (without a baseline: above 0) or the topic is compacted."
 */
const reorderLawfulness = (log: Partition, record: SentRecord, earlierAbove: readonly SentRecord[]): Lawfulness => {
  const mayMove = (one: SentRecord): boolean => isTaintedOrNotOk(one) || one.attempts > 1;
  const isLegal = log.contract.idempotence
    ? earlierAbove.every(isTaintedOrNotOk) && (logStartOf(log) > startAtBaseline(log) || isCompacted(log))
    : earlierAbove.every((earlier) => mayMove(earlier) || mayMove(record));
  return isLegal ? LEGAL : ILLEGAL;
};

/**
 * Rule 8: "`nonmonotonic-send`: within one (producer, incarnation, partition), in the first pass with lines for that
 * partition, records whose first offset is below that of an earlier `seq`."
 */
export const nonmonotonicSend = (log: Partition): Instance[] => {
  const pass = firstPassWithLines(log);
  const placed = log.sent.flatMap((record) => {
    const offsets = ownReads(record)
      .filter((read) => read.pass === pass)
      .map((read) => read.offset);
    return offsets.length === 0 ? [] : [{ record, first: Math.min(...offsets) }];
  });
  return placed.flatMap(({ record, first }) => {
    const earlierAbove = placed
      .filter((other) => other.record.producer === record.producer && other.record.incarnation === record.incarnation)
      .filter((other) => other.record.seq < record.seq && other.first > first)
      .map((other) => other.record);
    if (earlierAbove.length === 0) return [];
    return [instance('nonmonotonic-send', record, reorderLawfulness(log, record, earlierAbove))];
  });
};

/**
 * Rule 9: "`realtime-order`: the lowest offset of a seen record is ≤ the highest trusted offset acknowledged in that
 * partition before its `send` (whole batches). Not for a record that is `ack-offset-mismatch`, nor in a partition with any
 * `ack-offset-mismatch` or `duplicate-ack-offset`." Rule 14: "the ack that set the floor counts".
 */
export const realtimeOrder = (log: Partition): Instance[] => {
  if (ackOffsetMismatch(log).length > 0 || duplicateAckOffset(log).length > 0) return [];
  return log.sent.flatMap((record) => {
    const offsets = ownReads(record).map((read) => read.offset);
    const ackedBefore = trustedRecords(log).filter((other) => (other.record.ack?.line ?? 0) < record.sendLine);
    const highest = Math.max(...ackedBefore.map(({ offset }) => offset));
    const floor = ackedBefore.find(({ offset }) => offset === highest)?.record.ack;
    if (offsets.length === 0 || floor === undefined || Math.min(...offsets) > highest) return [];
    return [instance('realtime-order', record, lossOf(log, floor))];
  });
};

/** A foreign record that came during the run: see rule 10. */
const cameDuringTheRun = (log: Partition, read: Read): boolean => {
  const baseline = baselineOf(log);
  if (baseline !== undefined) return read.offset >= baseline.latest;
  return log.reads.some((own) => own.kind === 'own' && own.offset < read.offset);
};

/** Reads that show the same record at the same offset count once. */
const distinct = (reads: readonly Read[]): Read[] =>
  reads.filter(
    (read, index) =>
      reads.findIndex((other) => other.offset === read.offset && other.identity === read.identity) === index,
  );

/**
 * Rule 10: "`phantom`: this run's id with a `seq` never sent by that (producer, incarnation) to that partition, or a foreign
 * record (an id of another run included) in an exclusive topic at or above the baseline's `latest` (with no baseline: above
 * a read that carries an id of this run)."
 */
export const phantom = (log: Partition): Instance[] => {
  const isPhantom = (read: Read): boolean =>
    (read.kind === 'own' && read.sent === undefined) ||
    (read.kind === 'foreign' && log.topic.exclusive && cameDuringTheRun(log, read));
  return distinct(log.reads.filter(isPhantom)).map((read) => instance('phantom', read, ILLEGAL));
};

/** Rule 10: "`corrupt-value`: `checksum: bad`; the record still counts as seen." */
export const corruptValue = (log: Partition): Instance[] =>
  distinct(log.reads.filter((read) => read.corrupt)).map((read) =>
    instance('corrupt-value', read.sent ?? read, ILLEGAL),
  );

/** Rule 10: "`recovered`, `unknown-absent`: unknown, seen or not; legal." */
export const unknownOutcome = (log: Partition): Instance[] =>
  log.sent
    .filter((record) => record.outcome === 'unknown')
    .map((record) => instance(isSeen(record) ? 'recovered' : 'unknown-absent', record, LEGAL));
