// Rule 17: the ownership gate, beside the verdict.
import type { EpochStart, History, Partition, SentRecord } from './history.ts';
import { type LossKind, lossKindOf } from './seen-and-lost.ts';

export type Gate = 'pass' | 'fail' | 'inconclusive';

/** "more than 2,000 ms before the first `leader` line that names the owner's epoch or a higher one" */
const SEEN_WITHIN_MS = 2000;

/** "By the last `epochs` line of a partition" */
const startsOf = (log: Partition): readonly EpochStart[] => log.epochs.at(-1) ?? [];

/** "the highest epoch that starts at or below its offset" */
const ownerOf = (log: Partition, offset: number): number | undefined => {
  const below = startsOf(log)
    .filter((start) => start.offset <= offset)
    .map((start) => start.epoch);
  return below.length === 0 ? undefined : Math.max(...below);
};

const isOverruledBySight = (log: Partition, record: SentRecord, owner: number): boolean => {
  const first = log.leaders.find((line) => line.epoch !== undefined && line.epoch >= owner);
  if (first === undefined || record.ack === undefined) return false;
  const hasLower = log.leaders.some((line) => line.line < first.line && line.epoch !== undefined);
  return hasLower && record.ack.atMs < first.atMs - SEEN_WITHIN_MS;
};

const isLowerKnown = (log: Partition, owner: number): boolean =>
  [...startsOf(log), ...log.leaders].some(({ epoch }) => epoch !== undefined && epoch < owner);

/** What one lost record says of the gate. */
const fateOf = (log: Partition, record: SentRecord, anomaly: LossKind): 'overruled' | 'undecided' | 'nothing' => {
  const { offset, epoch } = record.ack ?? {};
  if (anomaly === 'lost-prefix') return 'nothing';
  if (anomaly === 'log-reset' || offset === undefined) return 'undecided';
  const owner = ownerOf(log, offset);
  if (owner === undefined) return startsOf(log).length === 0 ? 'nothing' : 'undecided';
  if (anomaly !== 'unseen') {
    if (epoch !== undefined) return epoch < owner ? 'overruled' : 'nothing';
    if (isOverruledBySight(log, record, owner)) return 'overruled';
  }
  return isLowerKnown(log, owner) ? 'undecided' : 'nothing';
};

/** "`fail` with an overruled record; else `inconclusive` …; else `pass`" */
export const ownershipOf = (history: History): Gate => {
  const logs = history.partitions.filter((log) => log.sent.some((record) => record.outcome === 'ok'));
  const fates = logs.flatMap((log) =>
    log.sent.flatMap((record) => {
      const kind = lossKindOf(log, record);
      return kind === undefined ? [] : [fateOf(log, record, kind)];
    }),
  );
  if (fates.includes('overruled')) return 'fail';
  const isSilent = logs.length === 0 || logs.some((log) => log.epochs.length === 0);
  return isSilent || fates.includes('undecided') ? 'inconclusive' : 'pass';
};
