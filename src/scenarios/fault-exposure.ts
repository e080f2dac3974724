// Whether a fault could have caught anything. A kill with nothing freshly acknowledged cannot find an early
// acknowledgement, and a window in which nothing was attempted proves nothing: both make the run inconclusive.
import type { Clock } from '../clock.ts';
import type { VictimSelector } from '../faults/fault.ts';
import type { FaultSummary } from '../ledger/run-record.ts';
import type { FaultStory } from './fault-story.ts';
import type { RunningWorkload } from './load-tally.ts';
import type { Part } from './part.ts';

/** The newest acknowledgement before a fault may be this old, ms. */
const EXPOSURE_MS = 200;

/**
 * Partitions a fault was about: those its brokers led, and the one whose follower it names; all of them when no broker is among
 * its victims.
 */
export const exposedPartitions = (
  victim: VictimSelector,
  brokers: readonly number[],
  leaders: ReadonlyMap<number, number | undefined>,
): readonly number[] => {
  const isNamed = (partition: number): boolean =>
    (victim.kind === 'followerOf' || victim.kind === 'followersOf') && victim.partition === partition;
  return [...leaders].flatMap(([partition, leader]) => {
    const isLed = leader !== undefined && brokers.includes(leader);
    return brokers.length === 0 || isLed || isNamed(partition) ? [partition] : [];
  });
};

/** When another fault acted, ms of the part's time. */
export type Shadow = Pick<FaultStory, 'id'> &
  Partial<Pick<FaultStory, 'intendedAt' | 'appliedAt' | 'shownAt' | 'healedAt'>>;
/** The other faults that were about a partition. */
export type ShadowsOf = (partition: number) => readonly Shadow[];

/** What a fault stopped is acknowledged for the last time within this of its act, or of its being seen to be done, ms. */
const SILENCED_MS = 500;

export interface AckAge {
  /** How old the last acknowledgement was when the fault was meant, ms. */
  readonly ageMs: number;
  /** How old it was when there could last have been another one, ms: this is what must be young. */
  readonly countedMs: number;
  /** The other fault that had stopped acknowledgements by then. */
  readonly silencedBy?: string;
}

/**
 * The age of the last acknowledgement when a fault was meant; undefined where there is none. A fault that begins while another
 * one lasts finds nothing fresh where that one has stopped everything; there the age counts from the fault that did
 * (docs/decisions/0005).
 */
export const ackAge = (last: number | undefined, intendedAt: number, others: readonly Shadow[]): AckAge | undefined => {
  if (last === undefined) return undefined;
  const silencers = others.flatMap(({ id, intendedAt: meantAt, appliedAt, shownAt = 0, healedAt = Infinity }) => {
    if (meantAt === undefined || appliedAt === undefined) return [];
    const lasts = appliedAt <= intendedAt && intendedAt < healedAt;
    return lasts && last <= Math.max(appliedAt, shownAt) + SILENCED_MS ? [{ id, meantAt }] : [];
  });
  const [first] = silencers.sort((one, other) => one.meantAt - other.meantAt);
  // Counted from the intent: what it takes to see a victim dead must not make its last acknowledgement older.
  const ageMs = Math.max(0, intendedAt - last);
  if (first === undefined) return { ageMs, countedMs: ageMs };
  return { ageMs, countedMs: Math.max(0, first.meantAt - last), silencedBy: first.id };
};

/** An acknowledgement so young will do, ms. */
const FRESH_MS = 150;
/** How long a fault waits for an acknowledgement that is young enough, ms. */
const FRESH_WAIT_MS = 5000;
const POLL_MS = 10;

/** Waits until each of the partitions was acknowledged within the last moments, for a while at most; what is then is told later. */
export const awaitFreshAcks = async (
  part: Pick<Part, 'at'>,
  clock: Clock,
  partitions: readonly number[],
  load: Pick<RunningWorkload, 'lastAckBefore'>,
  shadowsOf: ShadowsOf,
  signal: AbortSignal,
): Promise<void> => {
  const until = part.at() + FRESH_WAIT_MS;
  // Less than what is allowed: it is counted when the fault acts, which is in a moment.
  const isFresh = (partition: number): boolean => {
    const now = part.at();
    const age = ackAge(load.lastAckBefore(partition, now), now, shadowsOf(partition));
    return age !== undefined && age.countedMs <= FRESH_MS;
  };
  while (!signal.aborted && part.at() < until && !partitions.every(isFresh)) {
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
};

/** What a fault that lasts still has to see attempted before it may end, in words; undefined when that is nothing. */
export const unattempted = (
  part: Pick<Part, 'at'>,
  { appliedAt, brokers, spec }: Pick<FaultStory, 'appliedAt' | 'brokers' | 'spec'>,
  leaders: ReadonlyMap<number, number | undefined>,
  load: Pick<RunningWorkload, 'attemptedWithin'>,
): string | undefined => {
  if (appliedAt === undefined) return undefined;
  const partitions = exposedPartitions(spec.victim, brokers, leaders);
  const missing = partitions.find((partition) => !load.attemptedWithin(partition, appliedAt, part.at()));
  return missing === undefined ? undefined : `nothing was attempted in partition ${missing}`;
};

const exposureOf = (age: AckAge | undefined): Omit<FaultSummary['exposure'][number], 'partition'> => {
  if (age === undefined) return {};
  const { ageMs, silencedBy } = age;
  return { lastAckAgeMs: ageMs, ...(silencedBy === undefined ? {} : { silencedBy }) };
};

const ageText = (age: AckAge | undefined): string => {
  if (age === undefined) return 'there was none';
  const { ageMs, countedMs, silencedBy } = age;
  const old = `the last was ${Math.round(ageMs)} ms old`;
  return silencedBy === undefined ? old : `${old}, and ${Math.round(countedMs)} ms when ${silencedBy} began`;
};

/** Writes down how exposed each partition was, and a harness line for each way in which a fault proved nothing. */
export const tellExposure = (
  part: Part,
  story: FaultStory,
  leaders: ReadonlyMap<number, number | undefined>,
  load: Pick<RunningWorkload, 'lastAckBefore' | 'attemptedWithin'>,
  shadowsOf: ShadowsOf,
): void => {
  const { appliedAt, intendedAt } = story;
  if (appliedAt === undefined || intendedAt === undefined) return;
  const say = (detail: string): void =>
    part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail: `${story.id}: ${detail}` });
  const partitions = exposedPartitions(story.spec.victim, story.brokers, leaders);
  if (partitions.length === 0) say('no partition of the load was led by a victim');
  for (const partition of partitions) {
    const age = ackAge(load.lastAckBefore(partition, appliedAt), intendedAt, shadowsOf(partition));
    story.exposure.push({ partition, ...exposureOf(age) });
    if (age === undefined || age.countedMs > EXPOSURE_MS) {
      say(`nothing was acknowledged in partition ${partition} in the ${EXPOSURE_MS} ms before it (${ageText(age)})`);
    }
    if (!load.attemptedWithin(partition, appliedAt, story.healingAt ?? part.at())) {
      say(`nothing was attempted in partition ${partition} inside its window`);
    }
  }
};
