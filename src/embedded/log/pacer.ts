// A pause that can be cut short: the rhythm of the uploads.
import type { Clock } from '../../clock.ts';

export class Pacer {
  readonly #clock: Clock;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or as soon as `wake` is called. */
  async pause(ms: number): Promise<void> {
    const timer = new AbortController();
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        timer.abort();
        resolve();
      };
      this.#clock.sleep(ms, timer.signal).then(resolve, resolve);
    });
    this.#wake = undefined;
  }

  wake(): void {
    this.#wake?.();
  }
}
