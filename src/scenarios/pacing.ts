// When a lane sends its next batch. A lane that fell behind does not catch up with a burst: the rate is a ceiling, and an
// outage must look like an outage.

/** A schedule for one lane. `intervalMs` 0 means as fast as the lane is answered. */
export class Pace {
  readonly #intervalMs: number;
  #nextAt: number;

  constructor(intervalMs: number, firstAt: number) {
    this.#intervalMs = intervalMs;
    this.#nextAt = firstAt;
  }

  /** How long to wait, ms, before the next batch may be sent at time `now`; moves the schedule on. */
  waitMs(now: number): number {
    const wait = Math.max(0, this.#nextAt - now);
    this.#nextAt = Math.max(this.#nextAt, now) + this.#intervalMs;
    return wait;
  }
}

/** Milliseconds between two batches of one lane, for a rate in records per second over all lanes. */
export const laneIntervalMs = (ratePerSecond: number | 'max', lanes: number, batch: number): number =>
  ratePerSecond === 'max' ? 0 : (lanes * batch * 1000) / ratePerSecond;
