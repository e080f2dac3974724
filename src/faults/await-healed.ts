// Waits until a fault is seen to be over: ten rounds in a row in which the canary is as well as before and nothing is left
// behind. One bad round starts the count again, because a flapping cluster is not a healed one.
import type { Clock } from '../clock.ts';
import { DeadlineError } from '../errors.ts';
import type { EvidenceSample, PreparedFault } from './fault.ts';
import { takeRound } from './sampling.ts';

const GOOD_ROUNDS = 10;
const ROUND_INTERVAL_MS = 25;

export interface HealWait {
  readonly clock: Clock;
  /** On the clock's monotonic scale. */
  readonly deadlineMs: number;
  readonly what: string;
  readonly fault: Pick<PreparedFault, 'observeHealed'>;
  readonly onRound: (samples: readonly EvidenceSample[]) => void;
}

/** @throws DeadlineError that says what was last seen to be wrong. */
export const awaitHealed = async (wait: HealWait): Promise<void> => {
  const { clock, deadlineMs, fault, onRound } = wait;
  const started = clock.now();
  let good = 0;
  let lastBad = 'nothing yet';
  while (good < GOOD_ROUNDS) {
    const left = deadlineMs - clock.now();
    if (left <= 0) throw new DeadlineError(`${wait.what} to be healed`, clock.now() - started, lastBad);
    const samples = await roundWithin(clock, left, fault);
    onRound(samples);
    const bad = samples.filter((sample) => !sample.holds);
    if (bad.length > 0) lastBad = bad.map((sample) => sample.seen).join('; ');
    good = bad.length === 0 && samples.length > 0 ? good + 1 : 0;
    if (good < GOOD_ROUNDS) await clock.sleep(ROUND_INTERVAL_MS);
  }
};

const roundWithin = async (
  clock: Clock,
  leftMs: number,
  fault: HealWait['fault'],
): Promise<readonly EvidenceSample[]> => {
  const late = new AbortController();
  const done = new AbortController();
  const expiry = clock.sleep(leftMs, done.signal).then(
    () => late.abort(new Error('the time for healing is over')),
    () => undefined,
  );
  const samples = await takeRound(async (signal) => await fault.observeHealed(signal), late.signal);
  done.abort();
  await expiry;
  return samples;
};
