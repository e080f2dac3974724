// Waits until a fault is seen to be over: round after round in which the canary is as well as before and nothing is left behind.
// One bad round starts the count again, because a flapping cluster is not a healed one. A machine may be busier now than it was
// before the fault: answers that come, and only take longer, will do once the cluster had half of its time to come to rest.
import type { Clock } from '../clock.ts';
import { DeadlineError } from '../errors.ts';
import type { HealSample, PreparedFault } from './fault.ts';
import type { HealTime } from './heal-time.ts';
import { takeRound } from './sampling.ts';

const GOOD_ROUNDS = 10;
const ROUND_INTERVAL_MS = 25;
/** Where rounds take long, so many are enough … */
export const FEWEST_GOOD_ROUNDS = 4;
/** … once they lasted so long together. */
const ENOUGH_MS = 5000;
/** The share of the time for healing in which answers must be as quick as before. */
const STRICT_SHARE = 0.5;

export interface HealWait {
  readonly clock: Clock;
  readonly time: Pick<HealTime, 'allowedMs' | 'sinceMs' | 'leftMs'>;
  readonly what: string;
  readonly fault: Pick<PreparedFault, 'observeHealed'>;
  readonly onRound: (samples: readonly HealSample[]) => void;
}

/** Good rounds in a row. */
class GoodRounds {
  #count = 0;
  #sinceMs = 0;

  note(isGood: boolean, startedMs: number): void {
    if (this.#count === 0) this.#sinceMs = startedMs;
    this.#count = isGood ? this.#count + 1 : 0;
  }

  areEnough(nowMs: number): boolean {
    return this.#count >= GOOD_ROUNDS || (this.#count >= FEWEST_GOOD_ROUNDS && nowMs - this.#sinceMs >= ENOUGH_MS);
  }
}

const textOf = (samples: readonly HealSample[]): string => samples.map((sample) => sample.seen).join('; ');

/** What is wrong in words; a round that the deadline cut short says no more than that. */
const leftBy = (bad: readonly HealSample[], before: string | undefined, isCutShort: boolean): string =>
  isCutShort && before !== undefined ? before : textOf(bad.filter((sample) => sample.isSlow !== true));

/**
 * What is slower than before, if anything, in words.
 * @throws DeadlineError that says what was last seen to be wrong.
 */
export const awaitHealed = async (wait: HealWait): Promise<string | undefined> => {
  const { clock, time, fault, onRound } = wait;
  const started = clock.now();
  const [quick, calm] = [new GoodRounds(), new GoodRounds()];
  let left: string | undefined;
  let slow = 'nothing yet';
  for (;;) {
    const round = clock.now();
    const leftMs = time.leftMs();
    if (leftMs === 0) throw new DeadlineError(`${wait.what} to be healed`, round - started, left ?? slow);
    const { samples, isCutShort } = await roundWithin(clock, leftMs, fault);
    onRound(samples);
    const bad = samples.filter((sample) => !sample.holds);
    const isCalm = samples.length > 0 && bad.every((sample) => sample.isSlow === true);
    if (!isCalm) left = leftBy(bad, left, isCutShort);
    else if (bad.length > 0) slow = textOf(bad);
    quick.note(isCalm && bad.length === 0, round);
    calm.note(isCalm, round);
    const now = clock.now();
    if (quick.areEnough(now)) return undefined;
    if (now >= time.sinceMs() + STRICT_SHARE * time.allowedMs && calm.areEnough(now))
      return `slower than before: ${slow}`;
    await clock.sleep(ROUND_INTERVAL_MS);
  }
};

interface HealRound {
  readonly samples: readonly HealSample[];
  /** Whether the time for healing was over before it was complete. */
  readonly isCutShort: boolean;
}

const roundWithin = async (clock: Clock, leftMs: number, fault: HealWait['fault']): Promise<HealRound> => {
  const late = new AbortController();
  const done = new AbortController();
  const expiry = clock.sleep(leftMs, done.signal).then(
    () => late.abort(new Error('the time for healing is over')),
    () => undefined,
  );
  const samples = await takeRound(async (signal) => await fault.observeHealed(signal), late.signal);
  const isCutShort = late.signal.aborted;
  done.abort();
  await expiry;
  return { samples, isCutShort };
};
