// A point in time by which something must have happened, and the patient loop that tries until then.
import { type Clock, systemClock } from '../clock.ts';
import { describeError } from '../errors.ts';
import { isRetriable } from './error-codes.ts';
import { WireError } from './wire-error.ts';

export interface Deadline {
  /** Milliseconds left; never below zero. */
  remainingMs(): number;
  readonly signal: AbortSignal | undefined;
}

export const deadlineAfter = (ms: number, signal?: AbortSignal, clock: Clock = systemClock): Deadline => {
  const endMs = clock.now() + ms;
  return { remainingMs: () => Math.max(0, endMs - clock.now()), signal };
};

/** `{deadlineMs, signal}` for a request that may take what is left. */
export const requestOptions = (
  deadline: Deadline,
  limitMs = Number.POSITIVE_INFINITY,
): { readonly deadlineMs: number; readonly signal?: AbortSignal } => ({
  deadlineMs: Math.min(limitMs, deadline.remainingMs()),
  ...(deadline.signal === undefined ? {} : { signal: deadline.signal }),
});

/** Ends of a connection, or of the attempt to have one, after which another may do better. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'WIRE_CLOSED',
  'WIRE_CONNECT_FAILED',
  'WIRE_DEADLINE',
  'WIRE_UNREACHABLE',
]);

/** Whether trying again may help: a connection that ended, or an answer whose code passes by itself. */
export const isPassingTrouble = (error: unknown): boolean =>
  error instanceof WireError &&
  (PASSING_CODES.has(error.code) || (error.kafkaCode !== undefined && isRetriable(error.kafkaCode)));

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
/** With less than this left, another try would only run into the deadline. */
const LEAST_USEFUL_MS = 20;

/**
 * Calls `attempt` until it succeeds, throws something that does not pass by itself, or no time is left for another try; then
 * throws `WIRE_UNREACHABLE` with what was awaited, how often it was tried and the last error as its cause.
 */
export const tryUntil = async <T>(
  deadline: Deadline,
  awaited: string,
  attempt: () => Promise<T>,
  isPassing: (error: unknown) => boolean = isPassingTrouble,
  {
    clock = systemClock,
    longestPauseMs = LONGEST_PAUSE_MS,
  }: { readonly clock?: Clock; readonly longestPauseMs?: number } = {},
): Promise<T> => {
  let pauseMs = FIRST_PAUSE_MS;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error)) throw error;
      const leftMs = deadline.remainingMs();
      if (leftMs < LEAST_USEFUL_MS) throw gaveUp(awaited, tries, error);
      await pause(Math.min(pauseMs, leftMs / 2), deadline, awaited, clock);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }
};

const pause = async (ms: number, { signal }: Deadline, awaited: string, clock: Clock): Promise<void> => {
  try {
    await clock.sleep(ms, signal);
  } catch (cause) {
    throw new WireError('WIRE_CANCELLED', `Waiting for ${awaited} was cancelled.`, { cause });
  }
};

const gaveUp = (awaited: string, tries: number, cause: unknown): WireError =>
  new WireError(
    'WIRE_UNREACHABLE',
    `Gave up waiting for ${awaited} after ${tries} tries; last seen: ${describeError(cause)}`,
    {
      cause,
      sent: !(cause instanceof WireError) || cause.sent,
      ...(cause instanceof WireError && cause.kafkaCode !== undefined ? { kafkaCode: cause.kafkaCode } : {}),
    },
  );
