// Asking several for the same thing: one after the other, without waiting long for those who are silent.
import { systemClock } from '../../clock.ts';

/** The next is asked as soon as the ones before have been silent for so long: a frozen process answers never. */
const HEDGE_MS = 150;

/**
 * The first answer that comes; each is asked when the one before has failed or been silent for 150 ms.
 * @throws AggregateError when every one has failed.
 */
export const firstAnswer = async <W, T>(
  whom: readonly W[],
  ask: (whom: W, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  signal.throwIfAborted();
  const over = new AbortController();
  const own = AbortSignal.any([signal, over.signal]);
  let turn: Promise<unknown> = Promise.resolve();
  const answers = whom.map(async (each) => {
    const answer = turn.then(async () => {
      own.throwIfAborted();
      return await ask(each, own);
    });
    const failed = answer.then(async () => await systemClock.sleep(HEDGE_MS, own)).catch(() => undefined);
    const silent = turn.then(async () => await systemClock.sleep(HEDGE_MS, own)).catch(() => undefined);
    turn = Promise.race([failed, silent]);
    return await answer;
  });
  try {
    return await Promise.any(answers);
  } finally {
    over.abort(new Error('somebody else has answered'));
  }
};
