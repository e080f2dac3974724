// Several things at once, of which none may be left behind: when one fails the others are told to stop, and its error is thrown
// only when all have ended. A fault that is active when the load breaks is healed before anybody hears of it.
import type { Clock } from '../clock.ts';

export interface Follower {
  readonly own: AbortController;
  /** Lets go of the parent. */
  readonly release: () => void;
}

/** A controller whose signal follows `parent`, and that can be aborted by itself. */
export const follow = (parent: AbortSignal): Follower => {
  const own = new AbortController();
  const onAbort = (): void => own.abort(parent.reason);
  if (parent.aborted) onAbort();
  else parent.addEventListener('abort', onAbort, { once: true });
  return { own, release: () => parent.removeEventListener('abort', onAbort) };
};

/** Runs all of `works` with a signal that aborts with `parent`, or when one of them fails. Throws the first error, at the end. */
export const together = async (
  parent: AbortSignal,
  works: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> => {
  const { own, release } = follow(parent);
  const failures: unknown[] = [];
  await Promise.all(
    works.map(async (work) => {
      try {
        await work(own.signal);
      } catch (thrown) {
        failures.push(thrown);
        own.abort(thrown);
      }
    }),
  );
  release();
  if (failures.length > 0) throw failures[0];
};

/** Waits for `ms`, or until `parent` aborts or `other` is done; leaves no timer behind, which would keep the program alive. */
export const restUntil = async (clock: Clock, ms: number, parent: AbortSignal, other: Promise<void>): Promise<void> => {
  const { own, release } = follow(parent);
  try {
    await Promise.race([clock.sleep(ms, own.signal).catch(() => undefined), other]);
  } finally {
    release();
    own.abort(new Error('The wait is over.'));
  }
};
