// Every wait of a fault has a deadline and obeys an abort. The work gets a signal of its own that fires on both, so that what
// it started is given up as well.
import type { Clock } from '../clock.ts';
import { DeadlineError } from '../errors.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  /** A function is asked again once that is over, and what it then still allows is waited for as well; 0 is the end. */
  readonly ms: number | (() => number);
  /** What is awaited, for the message: `the restart of broker/1`. */
  readonly what: string;
  readonly signal?: AbortSignal;
}

/** Runs `work` for at most `ms`; rejects with a DeadlineError then, or with the reason of the signal at once. */
export const withDeadline = async <T>(
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { clock, ms, what, signal } = options;
  signal?.throwIfAborted();
  const own = new AbortController();
  const stop = new AbortController();
  const onAbort = (): void => own.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const started = clock.now();
  const working = work(own.signal);
  working.catch(() => undefined);
  const expire = async (): Promise<never> => {
    const over = AbortSignal.any([stop.signal, own.signal]);
    if (typeof ms === 'number') await clock.sleep(ms, over);
    else for (let left = ms(); left > 0; left = ms()) await clock.sleep(left, over);
    const error = new DeadlineError(what, clock.now() - started, 'no answer');
    own.abort(error);
    throw error;
  };
  const expiry = expire();
  try {
    return await Promise.race([working, expiry]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    expiry.catch(() => undefined);
    stop.abort();
  }
};
