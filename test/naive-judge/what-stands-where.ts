// Rules 4 to 6: records that stand at the wrong offset, at another's, or twice.
import type { Partition, Read, SentRecord } from './history.ts';
import { type Instance, instance } from './instance.ts';
import { ILLEGAL, type Lawfulness, LEGAL, lossOf } from './legality.ts';
import { covers, credibleRanges, isCompacted, isSeen, logStartOf, ownReads, trustedRecords } from './log-facts.ts';

/** "Control records are nothing here." */
const shownAt = (log: Partition, offset: number): Read[] =>
  log.reads.filter((read) => read.offset === offset && read.kind !== 'control');

/** "each offset at which two passes show different records" */
const disagreedOffsets = (log: Partition): number[] => {
  const offsets = [...new Set(log.reads.map((read) => read.offset))];
  return offsets.filter((offset) => {
    const shown = shownAt(log, offset);
    return shown.some((one) => shown.some((two) => one.pass !== two.pass && one.identity !== two.identity));
  });
};

/** The other records that stand at the acknowledged offset of a record that no pass shows anywhere. */
const standsInstead = (log: Partition, record: SentRecord): Read[] =>
  isSeen(record) || record.ack?.offset === undefined ? [] : shownAt(log, record.ack.offset);

/** "if the other record was itself acknowledged at that offset" */
const isAckedThere = (read: Read): boolean =>
  read.sent !== undefined && read.sent.partition === read.partition && read.sent.ack?.offset === read.offset;

/**
 * Rule 4: "`inconsistent-offset`: at the acknowledged offset of an `ok` record that no pass shows anywhere stands another
 * record (this run's, foreign, or the sentinel) … Also, each offset at which two passes show different records: illegal
 * always, counted once, whatever was acknowledged there. Otherwise, if the other record was itself acknowledged at that
 * offset, `duplicate-ack-offset` is reported instead".
 */
export const inconsistentOffset = (log: Partition): Instance[] => {
  const disagreed = disagreedOffsets(log);
  const place = { topic: log.topic.topic, partition: log.partition };
  const byPasses = disagreed.map(() => instance('inconsistent-offset', place, ILLEGAL));
  const byRecords = trustedRecords(log).flatMap(({ record, offset }) => {
    const others = standsInstead(log, record);
    if (disagreed.includes(offset) || others.length === 0 || others.some(isAckedThere)) return [];
    return record.ack === undefined ? [] : [instance('inconsistent-offset', record, lossOf(log, record.ack))];
  });
  return [...byPasses, ...byRecords];
};

/**
 * "reported as well when two `ok` records were acknowledged at one offset and neither is seen elsewhere; not when both are
 * seen."
 */
const areTwoForOnePlace = (one: SentRecord, two: SentRecord, offset: number): boolean => {
  const isSeenElsewhere = (record: SentRecord): boolean =>
    record.reads.some((read) => read.partition !== record.partition || read.offset !== offset);
  if (one === two || isSeenElsewhere(one) || isSeenElsewhere(two)) return false;
  return !(isSeen(one) && isSeen(two));
};

/** "`duplicate-ack-offset` is legal if the loss of all but one of its records would be" */
const allButOneMayBeLost = (log: Partition, sharing: readonly SentRecord[]): Lawfulness => {
  const losses = sharing.flatMap((record) => (record.ack === undefined ? [] : [lossOf(log, record.ack)]));
  const certain = losses.filter((loss) => loss.legal && !loss.doubtful).length;
  const legal = losses.filter((loss) => loss.legal).length;
  const needed = sharing.length - 1;
  return { legal: legal >= needed, doubtful: legal >= needed && certain < needed };
};

/** Rule 4: `duplicate-ack-offset`, "counting the records that share the offset (a pair: 2)". */
export const duplicateAckOffset = (log: Partition): Instance[] => {
  const disagreed = disagreedOffsets(log);
  const trusted = trustedRecords(log);
  return [...new Set(trusted.map(({ offset }) => offset))].flatMap((offset) => {
    const sharing = trusted.filter((other) => other.offset === offset).map(({ record }) => record);
    const isInstead =
      !disagreed.includes(offset) && sharing.some((record) => standsInstead(log, record).some(isAckedThere));
    const isAsWell = sharing.some((one) => sharing.some((two) => areTwoForOnePlace(one, two, offset)));
    if (!isInstead && !isAsWell) return [];
    const place = { topic: log.topic.topic, partition: log.partition };
    return [instance('duplicate-ack-offset', place, allButOneMayBeLost(log, sharing), sharing.length)];
  });
};

/**
 * Rule 5: "Legal if it is tainted and: its loss at the acknowledged offset would be legal (rule 14), or that offset is below
 * the log start, or the topic is compacted."
 */
const mismatchLawfulness = (log: Partition, record: SentRecord, offset: number): Lawfulness => {
  if (!record.tainted || record.ack === undefined) return ILLEGAL;
  if (offset < logStartOf(log) || isCompacted(log)) return LEGAL;
  return lossOf(log, record.ack);
};

/**
 * Rule 5: "`ack-offset-mismatch`: an `ok` record with a trusted offset, seen in its partition, but never at that offset; not
 * if it is tainted, no pass covered that offset and none is credibly complete."
 */
export const ackOffsetMismatch = (log: Partition): Instance[] =>
  trustedRecords(log).flatMap(({ record, offset }) => {
    const reads = ownReads(record);
    if (reads.length === 0 || reads.some((read) => read.offset === offset)) return [];
    const isLookedFor = log.ranges.some((range) => covers(range, offset)) || credibleRanges(log).length > 0;
    if (record.tainted && !isLookedFor) return [];
    return [instance('ack-offset-mismatch', record, mismatchLawfulness(log, record, offset))];
  });

/** Two places of one record in one pass. */
const copiesOf = (record: SentRecord): [Read, Read][] =>
  record.reads.flatMap((one) =>
    record.reads
      .filter((two) => one.pass === two.pass && (one.partition !== two.partition || one.offset !== two.offset))
      .map((two): [Read, Read] => [one, two]),
  );

/** "share (`producerId`, `producerEpoch`; a copy that names none may share with any)" */
const mayShareProducer = (one: Read, two: Read): boolean => {
  const isSame = (left: number | undefined, right: number | undefined): boolean =>
    left === undefined || right === undefined || left === right;
  return isSame(one.producerId, two.producerId) && isSame(one.producerEpoch, two.producerEpoch);
};

/**
 * Rule 6: "`duplicate`: an id that was sent, at two or more places (partition, offset) in one pass. With idempotence off:
 * legal if tainted or the outcome was not `ok`. With idempotence on: if it is tainted or not `ok` and no two copies share
 * (`producerId`, `producerEpoch`; …), it is `duplicate-client` instead, legal; else illegal."
 */
export const duplicate = (log: Partition): Instance[] =>
  log.sent.flatMap((record) => {
    const copies = copiesOf(record);
    if (copies.length === 0) return [];
    const isExcused = record.tainted || record.outcome !== 'ok';
    if (!log.contract.idempotence) return [instance('duplicate', record, isExcused ? LEGAL : ILLEGAL)];
    const isOneProducers = copies.some(([one, two]) => mayShareProducer(one, two));
    if (isExcused && !isOneProducers) return [instance('duplicate-client', record, LEGAL)];
    return [instance('duplicate', record, ILLEGAL)];
  });
