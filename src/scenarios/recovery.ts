// The end of a load under faults: it is kept up until each partition is served again, by the rule by which the judge ends an
// outage, so that a partition which came back late is not told as one that never did.
import type { Clock } from '../clock.ts';
import { isServed, RECOVERED_WITHIN_MS, recoveredAcks } from '../ledger/service.ts';
import type { FaultStory } from './fault-story.ts';
import type { RunningWorkload } from './load-tally.ts';
import type { Part } from './part.ts';

export interface RecoveryWatch {
  readonly part: Pick<Part, 'at' | 'partitions' | 'tell'>;
  readonly clock: Clock;
  readonly load: Pick<RunningWorkload, 'servedTimes'>;
  readonly stories: readonly Pick<FaultStory, 'appliedAt'>[];
  /** What the scenario allows for recovery, ms; absent where it states no bound. */
  readonly boundMs?: number | undefined;
}

/** How long a load that has not recovered is kept up beyond its plan, where the scenario states no bound, ms. */
const RECOVERY_MS = 10_000;
/** A partition that was served so shortly before the planned end is not away, ms. */
const RECENT_MS = 500;
const POLL_MS = 50;

/**
 * Waits until every partition is served again, or nothing that comes later would count any more. A partition that does not come
 * back is told, unless a bound says it: missing a bound with safe data is not the same as proving nothing.
 */
export const awaitRecovery = async (watch: RecoveryWatch, signal: AbortSignal): Promise<void> => {
  const { part, clock, load, stories, boundMs } = watch;
  const from = part.at();
  const acts = stories.flatMap(({ appliedAt }) => appliedAt ?? []);
  // The first acknowledgement of a recovery may come as late as the bound allows; the others of its row come after it.
  const until = from + (boundMs ?? RECOVERY_MS) + RECOVERED_WITHIN_MS;
  const neededIn = (times: readonly number[]): number => Math.max(1, ...acts.map((act) => recoveredAcks(times, act)));
  const needed = new Map(part.partitions.map((partition) => [partition, neededIn(load.servedTimes(partition))]));
  const isBack = (partition: number): boolean => {
    const times = load.servedTimes(partition);
    return (times.at(-1) ?? -Infinity) > from - RECENT_MS && isServed(times, needed.get(partition) ?? 1);
  };
  while (!signal.aborted && part.at() < until && !part.partitions.every(isBack)) {
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
  // A bound counts from a fault that acted: where none did, it cannot say what is missing.
  if (signal.aborted || (boundMs !== undefined && acts.length > 0)) return;
  for (const partition of part.partitions.filter((each) => !isBack(each))) {
    const waitedMs = Math.round(part.at() - from);
    const detail = `the load was not acknowledged again in partition ${partition} within ${waitedMs} ms`;
    part.tell({ t: 'harness', anomaly: 'no-progress', detail });
  }
};
