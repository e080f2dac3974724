// What the lines prove about one partition's log: where it starts, which passes reached its end, which snapshots are
// stale, where it has holes. Rules 2, 11 and 13 define these words; the other rules use them.
import type { Partition, PassRange, Read, SentRecord, Snapshot } from './history.ts';

/** `cleanup.policy` contains compact. */
export const isCompacted = (log: Partition): boolean => String(log.topic.config['cleanup.policy']).includes('compact');

export const baselineOf = (log: Partition): Snapshot | undefined =>
  log.snapshots.find((snapshot) => snapshot.when === 'baseline');

/** "the baseline's `earliest` (without a baseline: 0)" */
export const startAtBaseline = (log: Partition): number => baselineOf(log)?.earliest ?? 0;

/**
 * Rule 2: "A pass line that says `complete` is credible only if its `position` is > the offset of the partition's sentinel
 * (if there is one) and ≥ the `latest` of the last snapshot whose `when` is not `after-replay`."
 */
export const isCredible = (log: Partition, range: PassRange): boolean => {
  if (range.end !== 'complete') return false;
  if (log.sentinels.some((sentinel) => range.position <= sentinel.offset)) return false;
  const last = log.snapshots.findLast((snapshot) => snapshot.when !== 'after-replay');
  return last === undefined || range.position >= last.latest;
};

export const credibleRanges = (log: Partition): PassRange[] => log.ranges.filter((range) => isCredible(log, range));

/** "covered its offset (`from` ≤ offset < `position`)" */
export const covers = (range: PassRange, offset: number): boolean => range.from <= offset && offset < range.position;

/**
 * Rule 2: "The log start is the `earliest` of the `after-replay` snapshot, else the higher of the last snapshot's
 * `earliest` and the lowest `from` of the passes." −∞ where nothing is known.
 */
export const logStartOf = (log: Partition): number => {
  const afterReplay = log.snapshots.findLast((snapshot) => snapshot.when === 'after-replay');
  if (afterReplay !== undefined) return afterReplay.earliest;
  const lowestFrom = log.ranges.length === 0 ? -Infinity : Math.min(...log.ranges.map((range) => range.from));
  return Math.max(log.snapshots.at(-1)?.earliest ?? -Infinity, lowestFrom);
};

/** Rule 13: a snapshot that carries "a lower `epoch` than an earlier one" is an old leader's answer. */
export const isStale = (log: Partition, snapshot: Snapshot): boolean => {
  const { epoch } = snapshot;
  if (epoch === undefined) return false;
  return log.snapshots.some(
    (earlier) => earlier.line < snapshot.line && earlier.epoch !== undefined && earlier.epoch > epoch,
  );
};

export const freshSnapshots = (log: Partition): Snapshot[] =>
  log.snapshots.filter((snapshot) => !isStale(log, snapshot));

/**
 * The `pass` lines that a read may belong to: those that stand next after it, with no read of the pass between them. After the
 * last of them, those just above it, if they stand above all of their reads.
 */
const rangesFor = (reads: readonly Read[], ranges: readonly PassRange[], read: Read): readonly PassRange[] => {
  const isReadAt = (from: number, to: number): boolean => reads.some(({ range }) => from <= range && range <= to);
  if (read.range < ranges.length) {
    return ranges.filter((_, index) => index >= read.range && !isReadAt(read.range + 1, index));
  }
  const above = ranges.filter((_, index) => !isReadAt(index + 1, ranges.length - 1));
  const first = ranges.length - above.length;
  return isReadAt(first, first) && above.length > 0 ? [] : above;
};

/** The reads of one pass by range: where several `pass` lines stand together, a read belongs to the one that holds its offset. */
const splitPass = (reads: readonly Read[], ranges: readonly PassRange[]): Read[][] => {
  const groups = new Map<string, Read[]>();
  let last: { range: number; holder: PassRange | undefined } | undefined;
  for (const read of reads) {
    const possible = rangesFor(reads, ranges, read);
    const before = last?.range === read.range ? last.holder : possible[0];
    const holder = possible.find((range) => covers(range, read.offset)) ?? before;
    const name = possible.length < 2 ? `${read.range}` : `${read.range} from ${holder?.from} to ${holder?.position}`;
    groups.set(name, [...(groups.get(name) ?? []), read]);
    last = { range: read.range, holder };
  }
  return [...groups.values()];
};

/** The reads of each range of each pass, in the order they were returned. */
export const readsByRange = (log: Partition): Read[][] =>
  log.passes.flatMap((pass) =>
    splitPass(
      log.reads.filter((read) => read.pass === pass),
      log.ranges.filter((range) => range.pass === pass),
    ),
  );

/** Missing offsets `first … last` between two consecutive reads of one range. */
export interface Hole {
  readonly first: number;
  readonly last: number;
  readonly before: Read;
  readonly after: Read;
}

/**
 * Rule 11: "a hole between consecutive reads of one range of one pass. Not when control records fill it, with
 * `cleanup.policy` containing compact, or with `transactions`."
 */
export const holesOf = (log: Partition): Hole[] => {
  if (isCompacted(log) || log.contract.transactions) return [];
  const isControl = (offset: number): boolean =>
    log.reads.some((read) => read.kind === 'control' && read.offset === offset);
  const holes: Hole[] = [];
  for (const reads of readsByRange(log)) {
    for (const [index, after] of reads.entries()) {
      const before = reads[index - 1];
      if (before === undefined || after.offset <= before.offset + 1) continue;
      const hole = { first: before.offset + 1, last: after.offset - 1, before, after };
      const offsets = Array.from({ length: hole.last - hole.first + 1 }, (_, step) => hole.first + step);
      if (!offsets.every(isControl)) holes.push(hole);
    }
  }
  return holes;
};

/** Rule 1: "Seen: at any offset of that topic, in any partition, in any pass." */
export const isSeen = (record: SentRecord): boolean => record.reads.length > 0;

/** The reads that show a record in the partition it was sent to; rules 5, 8 and 9 look only there. */
export const ownReads = (record: SentRecord): Read[] =>
  record.reads.filter((read) => read.partition === record.partition);

/** The `ok` records with a trusted offset, each with that offset. */
export const trustedRecords = (log: Partition): { record: SentRecord; offset: number }[] =>
  log.sent.flatMap((record) => (record.ack?.offset === undefined ? [] : [{ record, offset: record.ack.offset }]));
