// Whether a fault could have caught anything. A kill with nothing freshly acknowledged cannot find an early
// acknowledgement, and a window in which nothing was attempted proves nothing: both make the run inconclusive.
import type { Clock } from '../clock.ts';
import type { FaultStory } from './fault-schedule.ts';
import type { Part } from './part.ts';
import type { RunningWorkload } from './workload.ts';

/** The newest acknowledgement before a fault may be this old, ms. */
export const EXPOSURE_MS = 200;

/** Partitions a fault was about: those its brokers led, or all of them when no broker is among its victims. */
export const exposedPartitions = (
  brokers: readonly number[],
  leaders: ReadonlyMap<number, number | undefined>,
): readonly number[] =>
  [...leaders].flatMap(([partition, leader]) =>
    brokers.length === 0 || (leader !== undefined && brokers.includes(leader)) ? [partition] : [],
  );

/** When another fault acted, ms of the part's time. */
export type Shadow = Partial<Pick<FaultStory, 'intendedAt' | 'appliedAt' | 'healedAt'>>;
/** The other faults that were about a partition. */
export type ShadowsOf = (partition: number) => readonly Shadow[];

/** What a fault stopped is acknowledged for the last time within this of its act, ms. */
const SILENCED_MS = 500;

/**
 * How old the last acknowledgement was when a fault was meant. A fault that begins while another one lasts finds nothing fresh
 * where that one has stopped everything; there the age counts from the fault that did.
 */
export const ackAgeMs = (
  last: number | undefined,
  intendedAt: number,
  others: readonly Shadow[],
): number | undefined => {
  if (last === undefined) return undefined;
  const silencedAt = others.flatMap(({ intendedAt: meantAt, appliedAt, healedAt = Infinity }) => {
    if (meantAt === undefined || appliedAt === undefined) return [];
    const lasts = appliedAt <= intendedAt && intendedAt < healedAt;
    return lasts && last <= appliedAt + SILENCED_MS ? [meantAt] : [];
  });
  // Counted from the intent: what it takes to see a victim dead must not make its last acknowledgement older.
  return Math.max(0, Math.min(intendedAt, ...silencedAt) - last);
};

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
  // Half of what is allowed: the intent, from which it is counted, still has to be written.
  const isFresh = (partition: number): boolean => {
    const now = part.at();
    return (ackAgeMs(load.lastAckBefore(partition, now), now, shadowsOf(partition)) ?? Infinity) <= EXPOSURE_MS / 2;
  };
  while (!signal.aborted && part.at() < until && !partitions.every(isFresh)) {
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
};

/** What a fault that lasts still has to see attempted before it may end, in words; undefined when that is nothing. */
export const unattempted = (
  part: Pick<Part, 'at'>,
  { appliedAt, brokers }: Pick<FaultStory, 'appliedAt' | 'brokers'>,
  leaders: ReadonlyMap<number, number | undefined>,
  load: Pick<RunningWorkload, 'attemptedWithin'>,
): string | undefined => {
  if (appliedAt === undefined) return undefined;
  const partitions = exposedPartitions(brokers, leaders);
  const missing = partitions.find((partition) => !load.attemptedWithin(partition, appliedAt, part.at()));
  return missing === undefined ? undefined : `nothing was attempted in partition ${missing}`;
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
  const partitions = exposedPartitions(story.brokers, leaders);
  if (partitions.length === 0) say('no partition of the load was led by a victim');
  for (const partition of partitions) {
    const ageMs = ackAgeMs(load.lastAckBefore(partition, appliedAt), intendedAt, shadowsOf(partition));
    story.exposure.push({ partition, ...(ageMs === undefined ? {} : { lastAckAgeMs: ageMs }) });
    if (ageMs === undefined || ageMs > EXPOSURE_MS) {
      const age = ageMs === undefined ? 'there was none' : `the last was ${Math.round(ageMs)} ms old`;
      say(`nothing was acknowledged in partition ${partition} in the ${EXPOSURE_MS} ms before it (${age})`);
    }
    if (!load.attemptedWithin(partition, appliedAt, story.healingAt ?? part.at())) {
      say(`nothing was attempted in partition ${partition} inside its window`);
    }
  }
};
