// Rules 11 to 13: offsets and epochs along a pass, ends of the log along the snapshots.
import type { Acknowledgement, Partition, Read, Snapshot } from './history.ts';
import { type Instance, instance } from './instance.ts';
import { ILLEGAL, type Lawfulness, lossOf } from './legality.ts';
import { freshSnapshots, holesOf, isSeen, readsByRange, trustedRecords } from './log-facts.ts';

/** Something that one pass shows; `name` is equal for what two passes show alike. */
interface Shown {
  readonly pass: string;
  readonly name: string;
}

/** "What two passes show alike counts once." */
const countAlikeOnce = (shown: readonly Shown[]): number => {
  const most = new Map<string, number>();
  for (const { name, pass } of shown) {
    const inThisPass = shown.filter((other) => other.name === name && other.pass === pass).length;
    most.set(name, Math.max(most.get(name) ?? 0, inThisPass));
  }
  return [...most.values()].reduce((sum, count) => sum + count, 0);
};

const placeOf = (log: Partition): { topic: string; partition: number } => ({
  topic: log.topic.topic,
  partition: log.partition,
});

/** Rule 11: `offset-gap`; `holesOf` says what a hole is. "count: holes". */
export const offsetGap = (log: Partition): Instance[] => {
  const holes = holesOf(log).map(({ first, last, before }) => ({ pass: before.pass, name: `${first} to ${last}` }));
  const count = countAlikeOnce(holes);
  return count === 0 ? [] : [instance('offset-gap', placeOf(log), ILLEGAL, count)];
};

/** Rule 12: "`nonmonotonic-poll`: a read's offset ≤ the one returned just before it in that range; illegal." */
export const nonmonotonicPoll = (log: Partition): Instance[] => {
  const falls = readsByRange(log).flatMap((reads) =>
    reads.flatMap((read, index) => {
      const before = reads[index - 1];
      if (before === undefined || read.offset > before.offset) return [];
      return [{ pass: read.pass, name: `${before.offset} to ${read.offset}` }];
    }),
  );
  const count = countAlikeOnce(falls);
  return count === 0 ? [] : [instance('nonmonotonic-poll', placeOf(log), ILLEGAL, count)];
};

/** The last read of the same pass before this one that named an epoch. */
const lastWithEpoch = (log: Partition, read: Read): Read | undefined =>
  log.reads
    .slice(0, log.reads.indexOf(read))
    .findLast((earlier) => earlier.pass === read.pass && earlier.epoch !== undefined);

/**
 * Rule 13: "`leader-epoch-regression`: the `epoch` of a read is below that of the last read that named one, at a higher
 * offset."
 */
export const leaderEpochRegression = (log: Partition): Instance[] => {
  const falls = log.reads.flatMap((read) => {
    const last = lastWithEpoch(log, read);
    if (last?.epoch === undefined || read.epoch === undefined) return [];
    if (read.epoch >= last.epoch || read.offset <= last.offset) return [];
    return [{ pass: read.pass, name: `${last.epoch} at ${last.offset} to ${read.epoch} at ${read.offset}` }];
  });
  const count = countAlikeOnce(falls);
  return count === 0 ? [] : [instance('leader-epoch-regression', placeOf(log), ILLEGAL, count)];
};

/** Rule 14: "for `hwm-regression` the earlier snapshot's line and `epoch` with offset `latest` − 1". */
const lossOfEnd = (log: Partition, snapshot: Snapshot): Lawfulness =>
  lossOf(log, {
    line: snapshot.line,
    atMs: snapshot.atMs,
    epoch: snapshot.epoch,
    offset: snapshot.latest - 1,
  });

/**
 * Rule 13: "with acks=all, each snapshot whose `latest` is ≤ a trusted offset acknowledged before it was asked, if that
 * record is seen"; the acks that show it.
 */
const acksAbove = (log: Partition, snapshot: Snapshot): Acknowledgement[] => {
  if (log.contract.acks !== 'all') return [];
  return trustedRecords(log).flatMap(({ record, offset }) =>
    record.ack !== undefined && record.ack.line < snapshot.line && snapshot.latest <= offset && isSeen(record)
      ? [record.ack]
      : [],
  );
};

/**
 * Rule 13: "`hwm-regression`: `latest` falls from one snapshot of a partition to the next, leaving out (in both halves of
 * this rule) those that carry a lower `epoch` than an earlier one; and, with acks=all, …. Each snapshot counts once". What
 * shows it more than once must be legal each time.
 */
export const hwmRegression = (log: Partition): Instance[] => {
  const snapshots = freshSnapshots(log);
  return snapshots.flatMap((snapshot, index) => {
    const before = snapshots[index - 1];
    const losses = acksAbove(log, snapshot).map((ack) => lossOf(log, ack));
    if (before !== undefined && snapshot.latest < before.latest) losses.push(lossOfEnd(log, before));
    if (losses.length === 0) return [];
    const legal = losses.every((loss) => loss.legal);
    return [
      instance('hwm-regression', placeOf(log), { legal, doubtful: legal && losses.some((loss) => loss.doubtful) }),
    ];
  });
};
