// Rules 1 to 3: which acknowledged records are missing, and in which way; which passes contradict each other.
import type { Acknowledgement, Partition, SentRecord } from './history.ts';
import { type Instance, instance } from './instance.ts';
import { ILLEGAL, type Lawfulness, LEGAL, lossOf, lostWriteOf, mayHaveLostPrefix } from './legality.ts';
import {
  baselineOf,
  covers,
  credibleRanges,
  freshSnapshots,
  isCompacted,
  isCredible,
  isSeen,
  isStale,
  logStartOf,
  startAtBaseline,
} from './log-facts.ts';

export type LossKind = 'log-reset' | 'lost-prefix' | 'lost-tail' | 'lost-write' | 'unseen';

/**
 * Rule 1: "Seen only in another partition is `wrong-partition`, not lost; seen in both, `wrong-partition` is reported
 * too."
 */
export const wrongPartition = (log: Partition): Instance[] =>
  log.sent
    .filter((record) => record.reads.some((read) => read.partition !== record.partition))
    .map((record) => instance('wrong-partition', record, ILLEGAL));

/** "topicId differs between two snapshots" */
const isTopicReset = (log: Partition): boolean => {
  const ids = log.snapshots.map((snapshot) => snapshot.topicId).filter((id) => id !== undefined);
  return new Set(ids).size > 1;
};

/** "or the last `latest` (rule 13's stale ones left out) is below the baseline's" */
const endsBelowBaseline = (log: Partition): boolean => {
  const baseline = baselineOf(log);
  const last = freshSnapshots(log).at(-1);
  return baseline !== undefined && last !== undefined && last.latest < baseline.latest;
};

/**
 * "`lost-prefix`: its offset is below the log start and no pass covered it; or its offset is untrusted, no credibly
 * complete pass began at or below the baseline's `earliest` (without a baseline: 0), the log start is above it, and
 * `lost-prefix` would be legal"
 */
const isLostPrefix = (log: Partition, record: SentRecord): boolean => {
  const offset = record.ack?.offset;
  const logStart = logStartOf(log);
  if (offset !== undefined) return offset < logStart && !log.ranges.some((range) => covers(range, offset));
  const start = startAtBaseline(log);
  const isReadFromStart = credibleRanges(log).some((range) => range.from <= start);
  return !isReadFromStart && logStart > start && mayHaveLostPrefix(log, record);
};

/**
 * "`lost-tail`: its offset is ≥ the `latest` of a snapshot asked for after its ack (one that carries no lower epoch than
 * the ack or an earlier snapshot and, unless acks=all, is `after-producers` or `after-replay`), or ≥ a sentinel's offset
 * acknowledged after its ack, or ≥ the position of a credible `complete` pass"
 */
const isLostTail = (log: Partition, record: SentRecord): boolean => {
  const { ack } = record;
  if (ack?.offset === undefined) return false;
  const { offset, epoch, line } = ack;
  const isBelowSnapshot = log.snapshots.some((snapshot) => {
    if (snapshot.line < line || snapshot.latest > offset || isStale(log, snapshot)) return false;
    if (epoch !== undefined && snapshot.epoch !== undefined && snapshot.epoch < epoch) return false;
    return log.contract.acks === 'all' || snapshot.when === 'after-producers' || snapshot.when === 'after-replay';
  });
  const isBelowSentinel = log.sentinels.some((sentinel) => sentinel.line > line && offset >= sentinel.offset);
  return isBelowSnapshot || isBelowSentinel || credibleRanges(log).some((range) => offset >= range.position);
};

/** "`unseen`: no pass covered its offset; for an untrusted offset, no pass was credibly complete" */
const isUnseen = (log: Partition, record: SentRecord): boolean => {
  const offset = record.ack?.offset;
  if (offset === undefined) return credibleRanges(log).length === 0;
  return !log.ranges.some((range) => covers(range, offset));
};

/** Rule 2: "An `ok` record that was not seen gets exactly one of, in this order" */
export const lossKindOf = (log: Partition, record: SentRecord): LossKind | undefined => {
  if (record.outcome !== 'ok' || isSeen(record)) return undefined;
  if (isTopicReset(log) || endsBelowBaseline(log)) return 'log-reset';
  if (isLostPrefix(log, record)) return 'lost-prefix';
  if (isLostTail(log, record)) return 'lost-tail';
  return isUnseen(log, record) ? 'unseen' : 'lost-write';
};

const lawfulnessOf = (log: Partition, record: SentRecord, ack: Acknowledgement, kind: LossKind): Lawfulness => {
  switch (kind) {
    case 'log-reset':
      return lossOf(log, ack, isTopicReset(log));
    case 'lost-prefix':
      return mayHaveLostPrefix(log, record) ? LEGAL : ILLEGAL;
    case 'lost-tail':
      return lossOf(log, ack);
    case 'unseen':
      return ILLEGAL;
    case 'lost-write':
      return lostWriteOf(log, ack);
  }
};

export const missing = (log: Partition): Instance[] =>
  log.sent.flatMap((record) => {
    const kind = lossKindOf(log, record);
    if (kind === undefined || record.ack === undefined) return [];
    return [instance(kind, record, lawfulnessOf(log, record, record.ack, kind))];
  });

/** The passes that show a record, anywhere in its topic. */
const passesShowing = (record: SentRecord): Set<string> => new Set(record.reads.map((read) => read.pass));

/**
 * Rule 3: "An `ok` record that a pass lacks and a later pass shows at an offset that the earlier one covered is
 * `stale-read`, not lost … Legal only with `laggingReads`."
 */
export const staleRead = (log: Partition, logs: readonly Partition[]): Instance[] =>
  log.sent.flatMap((record) => {
    if (record.outcome !== 'ok') return [];
    const isStaleRead = record.reads.some((read) => {
      const place = placeOf(logs, read.topic, read.partition);
      const earlier = log.passes.slice(0, log.passes.indexOf(read.pass));
      return earlier.some(
        (pass) =>
          !passesShowing(record).has(pass) &&
          place.ranges.some((range) => range.pass === pass && covers(range, read.offset)),
      );
    });
    return isStaleRead ? [instance('stale-read', record, log.contract.laggingReads ? LEGAL : ILLEGAL)] : [];
  });

/**
 * Rule 3: "A sent record that a pass shows and a later pass that covered that offset, or began at or below it and was
 * credibly complete, lacks is `divergent-route`: illegal under every contract, except below the log start, or where the
 * topic is compacted."
 */
export const divergentRoute = (log: Partition, logs: readonly Partition[]): Instance[] =>
  log.sent.flatMap((record) => {
    if (isCompacted(log)) return [];
    const isDivergent = record.reads.some((read) => {
      const place = placeOf(logs, read.topic, read.partition);
      if (read.offset < logStartOf(place)) return false;
      const later = log.passes.slice(log.passes.indexOf(read.pass) + 1);
      return later.some(
        (pass) =>
          !passesShowing(record).has(pass) &&
          place.ranges.some(
            (range) =>
              range.pass === pass &&
              (covers(range, read.offset) || (range.from <= read.offset && isCredible(place, range))),
          ),
      );
    });
    return isDivergent ? [instance('divergent-route', record, ILLEGAL)] : [];
  });

/** The partition in which a read stands. */
const placeOf = (logs: readonly Partition[], topic: string, partition: number): Partition => {
  const place = logs.find((log) => log.topic.topic === topic && log.partition === partition);
  if (place === undefined) throw new Error(`the history has no partition ${topic}/${partition}`);
  return place;
};
