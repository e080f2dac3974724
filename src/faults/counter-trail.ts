// A counter that only rises, as it was read over time: whether it rose of late, and for how long it has stood still.
import type { Clock } from '../clock.ts';

export class CounterTrail {
  readonly #clock: Clock;
  #last: number | undefined;
  /** When the first reading came. */
  #sinceMs = 0;
  #roseAtMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a reading. One below the last is that of a counter which began anew. */
  note(count: number): void {
    const now = this.#clock.now();
    if (this.#last === undefined) this.#sinceMs = now;
    else if (count > this.#last) this.#roseAtMs = now;
    this.#last = count;
  }

  roseWithin(ms: number): boolean {
    return this.#roseAtMs !== undefined && this.#clock.now() - this.#roseAtMs <= ms;
  }

  /** Read for so long, and never seen to rise meanwhile. */
  stoodFor(ms: number): boolean {
    return this.#last !== undefined && this.#clock.now() - (this.#roseAtMs ?? this.#sinceMs) >= ms;
  }
}
