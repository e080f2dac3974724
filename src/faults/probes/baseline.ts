// How a path behaves before a fault. Without it nobody can say what slow, or healed, means.
import { EnvironmentError } from '../../errors.ts';
import type { ProbeClass } from '../fault.ts';
import { describeProbe, type ProbeResult } from './probe.ts';

const GOOD_PROBES = 20;
const MOST_PROBES = 25;
/** Where probes take long, so many that were well are enough … */
const FEWEST_GOOD_PROBES = 5;
/** … once they took so long together. */
const ENOUGH_MS = 1000;
/** How long a probe waits whose end is told by its peer, ms: on a busy machine that takes its time. */
export const PATIENT_MS = 3000;

export interface Baseline {
  readonly medianMs: number;
  readonly p95Ms: number;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;

export const baselineOf = (timesMs: readonly number[]): Baseline => {
  const sorted = [...timesMs].sort((one, other) => one - other);
  return { medianMs: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
};

const isEnough = (timesMs: readonly number[]): boolean =>
  timesMs.length >= GOOD_PROBES ||
  (timesMs.length >= FEWEST_GOOD_PROBES && timesMs.reduce((sum, ms) => sum + ms, 0) >= ENOUGH_MS);

/**
 * Probes one after the other until 20 were well, or fewer where that would take long.
 * @throws EnvironmentError when more than a few were not: a fault on a path that is already ill proves nothing.
 */
export const takeBaseline = async (what: string, probe: () => Promise<ProbeResult>): Promise<Baseline> => {
  const times: number[] = [];
  let last: ProbeResult | undefined;
  for (let tries = 0; tries < MOST_PROBES && !isEnough(times); tries++) {
    const result = await probe();
    if (result.class === 'ok') times.push(result.ms);
    else last = result;
  }
  if (isEnough(times)) return baselineOf(times);
  throw new EnvironmentError(
    'CANARY_BASELINE',
    `${what} was not well before the fault: ${last === undefined ? 'no answer' : describeProbe(last)}.`,
    { hint: 'Let the cluster come to rest before the fault, or look at its logs.' },
  );
};

/**
 * As quick as before: what healing must reach. `busyMs` is by how much untouched paths are slower now, too; `slower` how many
 * times slower than before still counts.
 */
export const isAsBefore = (probe: ProbeResult, { medianMs, p95Ms }: Baseline, busyMs: number, slower = 1.5): boolean =>
  probe.class === 'ok' && probe.ms <= Math.max(slower * medianMs, p95Ms, medianMs + 25) + busyMs;

/** Well enough for a control: it answers. A slow answer is what a busy machine gives, and no effect of a fault that makes fail. */
export const isWell = (probe: ProbeResult): boolean => probe.class === 'ok';

/** How long a probe waits before it says `timeout`: where silence is promised, only far beyond what the path ever took. */
export const probeDeadlineMs = (baseline: Baseline, promised: readonly ProbeClass[]): number =>
  promised.includes('timeout') ? Math.min(1500, Math.max(500, 4 * baseline.p95Ms)) : PATIENT_MS;
