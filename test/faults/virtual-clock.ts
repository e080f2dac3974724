// Time that passes only when nothing else is left to do: minutes of a fault's life in milliseconds of a test.
import type { Clock } from '../../src/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class VirtualClock implements Clock {
  #now = 0;
  #sleepers: Sleeper[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return 1_800_000_000_000 + this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper: Sleeper = { at: this.#now + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Lets `work` run to its end, jumping from one sleeper to the next. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const ended = (): void => {
      state.isDone = true;
    };
    work.then(ended, ended);
    for (;;) {
      for (let turn = 0; turn < 3; turn++) await new Promise<void>((next) => setImmediate(next));
      if (state.isDone) return await work;
      const next = this.#sleepers.sort((one, other) => one.at - other.at).shift();
      if (next === undefined) throw new Error('everybody waits and nobody sleeps');
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}
