// The ownership gate, judged from the log alone: no acknowledgement of an older epoch has an offset at or above the start of a
// higher epoch with its record missing. Proved by a failure: whoever acknowledged the record was not the owner of that part of the
// log any more, or gave up what it had promised. Not proved by a pass: that nobody else served in between. Clocks of brokers are
// never asked; that the gate fails changes no verdict, because the record is missed by a checker as well.
import type { EpochsLine } from './history-lines.ts';
import { type Loss, lossOf } from './loss.ts';
import type { PartitionView } from './partition-view.ts';
import type { Moment, PartitionLog, SentRun } from './run-facts.ts';
import { forEachSuspect, type SuspectRecord } from './sightings.ts';

/** A missing record that was acknowledged where a higher epoch stands. */
export interface OverruledRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** The epoch that acknowledged it; absent where the answer named none, as Kafka's does not. */
  readonly ackEpoch?: number;
  /** The epoch that owns the offset now, and where it began. */
  readonly epoch: number;
  readonly start: number;
}

export interface OwnershipGate {
  readonly state: 'pass' | 'fail' | 'inconclusive';
  readonly because: string;
  /** Partitions of which epoch starts are recorded, and how many epochs those are. */
  readonly partitions: number;
  readonly epochs: number;
  /** How many records were overruled; at most eight are shown. */
  readonly overruled: number;
  readonly examples: readonly OverruledRecord[];
}

/** What one partition says about ownership. */
export interface PartitionOwnership {
  readonly name: string;
  readonly hasAcks: boolean;
  /** Undefined where no epoch start is recorded. */
  readonly epochs: number | undefined;
  readonly overruled: number;
  /** At most eight of them. */
  readonly examples: readonly OverruledRecord[];
  /** Missing records of which it cannot be told which epoch acknowledged them. */
  readonly undecided: number;
}

const MOST_EXAMPLES = 8;
/** An epoch is seen so much later than it began, at most, while somebody looks every few hundred ms. */
const SEEN_WITHIN_MS = 2_000;

type EpochStart = EpochsLine['starts'][number];

/** As they were told last. */
const startsOf = ({ epochs }: PartitionLog): readonly EpochStart[] => epochs.at(-1)?.starts ?? [];

/** The highest epoch that begins at or below an offset. */
const ownerOf = (starts: readonly EpochStart[], offset: number): EpochStart | undefined =>
  starts.reduce<EpochStart | undefined>(
    (best, start) => (start.offset <= offset && start.epoch > (best?.epoch ?? -1) ? start : best),
    undefined,
  );

/** When an epoch was first seen, by a watch that had seen a lower one before; undefined where it was not. */
const seenAt = ({ leaders }: PartitionLog, epoch: number): Moment | undefined => {
  const index = leaders.findIndex((line) => line.epoch >= epoch);
  return leaders.slice(0, Math.max(0, index)).some((line) => line.epoch >= 0) ? leaders[index] : undefined;
};

/** Whether a lower epoch than `epoch` acknowledged the run; undefined where that cannot be told. */
const isOlder = (log: PartitionLog, run: SentRun, epoch: number): boolean | undefined => {
  if (run.epoch !== undefined) return run.epoch < epoch;
  const seen = seenAt(log, epoch);
  if (seen === undefined || run.settled === undefined) return undefined;
  return run.settled.at < seen.at - SEEN_WITHIN_MS ? true : undefined;
};

type Fate = 'overruled' | 'undecided' | 'no matter';

/** What a lost record says of who owned its place; `owner`: the epoch that stands there now, where that is known. */
const fateOf = (log: PartitionLog, record: SuspectRecord, loss: Loss, owner: EpochStart | undefined): Fate => {
  // What retention removed was nobody's any more.
  if (loss === 'lost-prefix') return 'no matter';
  // The epochs are those of another log, or the place of the record is not known.
  if (loss === 'log-reset' || record.offset === undefined) return 'undecided';
  if (owner === undefined) return startsOf(log).length === 0 ? 'no matter' : 'undecided';
  const older = loss === 'unseen' ? undefined : isOlder(log, record.sent.run, owner.epoch);
  if (older !== undefined) return older ? 'overruled' : 'no matter';
  const named = [...startsOf(log), ...log.leaders].map(({ epoch }) => epoch);
  return named.some((epoch) => epoch >= 0 && epoch < owner.epoch) ? 'undecided' : 'no matter';
};

/** Only after `gatherSightings`. */
export const ownershipOf = (view: PartitionView, log: PartitionLog): PartitionOwnership => {
  const examples: OverruledRecord[] = [];
  let overruled = 0;
  let undecided = 0;
  forEachSuspect(view, (record) => {
    const { offset, sent } = record;
    const loss = lossOf(view, record);
    if (loss === undefined) return;
    const owner = offset === undefined ? undefined : ownerOf(startsOf(log), offset);
    const fate = fateOf(log, record, loss, owner);
    if (fate === 'undecided') undecided += 1;
    if (fate !== 'overruled' || offset === undefined || owner === undefined) return;
    overruled += 1;
    if (examples.length >= MOST_EXAMPLES) return;
    const { epoch: ackEpoch } = sent.run;
    const place = { topic: view.topic.name, partition: view.partition, offset };
    const by = { epoch: owner.epoch, start: owner.offset };
    examples.push({ ...place, ...(ackEpoch === undefined ? {} : { ackEpoch }), ...by });
  });
  const hasAcks = view.lanes.some(({ sent }) => sent.some(({ run }) => run.outcome === 'ok'));
  return { name: view.name, hasAcks, epochs: log.epochs.at(-1)?.starts.length, overruled, examples, undecided };
};

const places = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');

const standing = (
  asked: readonly PartitionOwnership[],
  overruled: number,
): Pick<OwnershipGate, 'state' | 'because'> => {
  const worst = asked.flatMap(({ examples }) => examples)[0];
  if (worst !== undefined) {
    const { topic, partition, offset, epoch, start } = worst;
    const records = overruled === 1 ? 'acked record is' : 'acked records are';
    const because =
      `${overruled} ${records} missing where a higher epoch took over: ` +
      `${topic}/${partition} offset ${offset}, epoch ${epoch} began at ${start}`;
    return { state: 'fail', because };
  }
  if (asked.length === 0)
    return { state: 'inconclusive', because: 'nothing was acknowledged, so nobody owned anything' };
  const silent = asked.filter(({ epochs }) => epochs === undefined);
  if (silent.length > 0) {
    const because = `no epoch starts are provided of ${places(silent.map(({ name }) => name))}`;
    return { state: 'inconclusive', because };
  }
  const undecided = asked.reduce((sum, one) => sum + one.undecided, 0);
  if (undecided > 0) {
    const records = undecided === 1 ? 'acked record is' : 'acked records are';
    return {
      state: 'inconclusive',
      because: `${undecided} ${records} missing, and which epoch acknowledged them, or stands there now, is not known`,
    };
  }
  return { state: 'pass', because: 'no acked record of an older epoch is missing above the start of a higher one' };
};

export const decideOwnership = (all: readonly PartitionOwnership[]): OwnershipGate => {
  const asked = all.filter(({ hasAcks }) => hasAcks);
  const overruled = asked.reduce((sum, one) => sum + one.overruled, 0);
  return {
    ...standing(asked, overruled),
    partitions: asked.filter(({ epochs }) => epochs !== undefined).length,
    epochs: asked.reduce((sum, { epochs }) => sum + (epochs ?? 0), 0),
    overruled,
    examples: asked.flatMap(({ examples }) => examples).slice(0, MOST_EXAMPLES),
  };
};
