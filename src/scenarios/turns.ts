// One at a time, in the order they came, for what must not overlap. Whoever cannot wait long enough does without, and holds up
// nobody who comes later.
import type { Clock } from '../clock.ts';

export class Turns {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `work` once all that came before are over; undefined, without running it, where that takes longer than `patienceMs`. */
  async take<T>(patienceMs: number, work: () => Promise<T>): Promise<T | undefined> {
    const before = this.#last;
    let leave = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(async () => await mine);
    try {
      return (await this.#isOver(before, patienceMs)) ? await work() : undefined;
    } finally {
      leave();
    }
  }

  async #isOver(before: Promise<void>, withinMs: number): Promise<boolean> {
    const waiting = new AbortController();
    const tooLate = this.#clock.sleep(withinMs, waiting.signal).then(
      () => false,
      () => true,
    );
    const isOver = await Promise.race([before.then(() => true), tooLate]);
    waiting.abort(new Error('The wait is over.'));
    return isOver;
  }
}
