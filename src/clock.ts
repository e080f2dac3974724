// The one file that reads clocks and sleeps. Durations come from the monotonic clock, time stamps from the wall clock, and
// the two are never compared. Tests inject a clock of their own wherever time matters.
import { setMaxListeners } from 'node:events';

export interface Clock {
  /** Monotonic milliseconds, fractional; only differences mean anything. */
  now(): number;
  /** Wall-clock milliseconds since 1970-01-01 UTC; for people and file names, never for ordering. */
  wall(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));

/** A timer that is asked for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  let left = ms;
  for (; left > LONGEST_TIMER_MS; left -= LONGEST_TIMER_MS) await nap(LONGEST_TIMER_MS, signal);
  await nap(left, signal);
};

const nap = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal));
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      if (signal !== undefined) reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
};

/** The monotonic clock in nanoseconds, which all threads of this machine share; `now()` counts from the start of its thread. */
export const sharedNow = (): bigint => process.hrtime.bigint();

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep,
};

/**
 * A signal that aborts after `ms`, or with `parent`'s reason as soon as that aborts. Its timer keeps no process alive. It stands in
 * for `AbortSignal.timeout` below `AbortSignal.any`, which Node.js 20 may collect as garbage before its time: such a deadline
 * never comes.
 */
export const deadlineSignal = (ms: number, parent?: AbortSignal): AbortSignal => {
  const controller = new AbortController();
  const follow = (): void => {
    clearTimeout(timer);
    controller.abort(parent?.reason);
  };
  const timer = setTimeout(() => {
    parent?.removeEventListener('abort', follow);
    controller.abort(new DOMException(`${ms} ms are over.`, 'TimeoutError'));
  }, ms);
  timer.unref();
  if (parent?.aborted === true) follow();
  else if (parent !== undefined) {
    setMaxListeners(0, parent); // each wait listens until it is over, and there may be many
    parent.addEventListener('abort', follow, { once: true });
  }
  return controller.signal;
};

/** Wall-clock milliseconds as ISO 8601 in UTC, `2026-11-29T16:04:11.123Z`. */
export const isoTime = (wallMs: number): string => new Date(wallMs).toISOString();

/** Wall-clock milliseconds as HTTP dates are written, `Sun, 29 Nov 2026 16:04:11 GMT`; whole seconds. */
export const httpTime = (wallMs: number): string => new Date(wallMs).toUTCString();

const parsed = (written: string): number | undefined => {
  const wallMs = Date.parse(written);
  return Number.isNaN(wallMs) ? undefined : wallMs;
};

/** ISO 8601 in UTC, with any fraction, as wall-clock milliseconds; undefined for what is no time. */
export const wallOfIsoTime = (written: string): number | undefined => parsed(written);

/** A date as HTTP writes it, as wall-clock milliseconds; undefined for what is no date. */
export const wallOfHttpTime = (written: string): number | undefined => parsed(written);
