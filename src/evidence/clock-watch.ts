// Notices when the wall clock and the monotonic clock part: somebody set the time, or the machine was suspended. Durations come
// from the monotonic clock, so a jump moves no verdict, but time stamps of logs and of the object store cannot be lined up. It
// notices as well when the harness itself stood still: the silence of that time is not the cluster's.
import { type Clock, systemClock } from '../clock.ts';

export interface ClockJump {
  /** How far the wall clock moved against the monotonic one since the last look; negative is back in time. */
  readonly jumpMs: number;
}

export interface ClockWatchOptions {
  readonly onJump: (jump: ClockJump) => void;
  /** Told when this process did nothing for so long: it was stopped, or starved. */
  readonly onStall: (stall: { readonly stallMs: number }) => void;
  /** Smallest difference that counts; default 500: less is what time servers correct in passing. */
  readonly leastMs?: number;
  /** Shortest stall that is told; default 500. */
  readonly leastStallMs?: number;
  /** Default 500. */
  readonly everyMs?: number;
  readonly clock?: Clock;
}

/** Starts watching; disposing it stops. */
export const watchClock = (options: ClockWatchOptions): AsyncDisposable => {
  const clock = options.clock ?? systemClock;
  const stop = new AbortController();
  const everyMs = options.everyMs ?? 500;
  const run = async (): Promise<void> => {
    let last = clock.wall() - clock.now();
    while (!stop.signal.aborted) {
      const before = clock.now();
      await clock.sleep(everyMs, stop.signal).catch(() => undefined);
      const stallMs = clock.now() - before - everyMs;
      if (stallMs >= (options.leastStallMs ?? 500)) options.onStall({ stallMs });
      const difference = clock.wall() - clock.now();
      const jumpMs = difference - last;
      last = difference;
      if (Math.abs(jumpMs) >= (options.leastMs ?? 500)) options.onJump({ jumpMs });
    }
  };
  const running = run();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('The watch was stopped.'));
      await running;
    },
  };
};
