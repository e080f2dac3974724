// The one way this folder waits for the world to change: look, sleep a little, look again, until a deadline that says what
// was awaited and what was last seen.
import { setMaxListeners } from 'node:events';
import { type Clock, systemClock } from '../clock.ts';
import { DeadlineError } from '../errors.ts';

export interface Wait {
  /** What is awaited, as the end of "Waited 500 ms for …". */
  readonly awaited: string;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Time between two looks; default 5 ms. */
  readonly everyMs?: number;
  readonly clock?: Clock;
}

/** What one look came to: done with a value, or not yet and what was seen instead. */
export type Look<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly seen: string };

export const done = <T>(value: T): Look<T> => ({ done: true, value });
export const notYet = (seen: string): Look<never> => ({ done: false, seen });

/** Looks until a look is done; throws DeadlineError, the signal's reason, or whatever a look throws. */
export const waitFor = async <T>(wait: Wait, look: () => Look<T> | Promise<Look<T>>): Promise<T> => {
  const clock = wait.clock ?? systemClock;
  const started = clock.now();
  for (;;) {
    wait.signal?.throwIfAborted();
    const seen = await look();
    if (seen.done) return seen.value;
    const waitedMs = clock.now() - started;
    if (waitedMs >= wait.deadlineMs) throw new DeadlineError(wait.awaited, waitedMs, seen.seen);
    await clock.sleep(wait.everyMs ?? 5, wait.signal);
  }
};

/**
 * Runs `work` with a signal that aborts after `deadlineMs`, or with `signal`'s reason as soon as that aborts; both are let go of
 * when it has ended. Not `AbortSignal.any`: Node.js 20 may collect what it made before its time, and then no deadline comes.
 */
export const within = async <T>(
  deadlineMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted();
  const either = new AbortController();
  const follow = (): void => either.abort(signal?.reason);
  const timer = setTimeout(
    () => either.abort(new DOMException(`${deadlineMs} ms are over.`, 'TimeoutError')),
    deadlineMs,
  );
  // Many calls wait on the signal of a run at once; that is no leak.
  if (signal !== undefined) setMaxListeners(0, signal);
  signal?.addEventListener('abort', follow, { once: true });
  try {
    return await work(either.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
};
