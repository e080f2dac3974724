// What a lane sends, and when it sends its next batch. A lane that fell behind does not catch up with a burst: the rate is a ceiling, and an
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

/** What each lane sends with one request, and how often. */
export interface LoadShape {
  /** Records in a request. */
  readonly batch: number;
  /** Between two requests of one lane, ms; 0 means as fast as the lane is answered. */
  readonly intervalMs: number;
  readonly sizeBytes: number;
}

interface Wanted {
  readonly ratePerSecond: number | 'max';
  readonly record: { readonly sizeBytes: number; readonly batch: number };
}

/** The load that the scenario asks for, on `lanes` lanes. */
export const workloadShape = ({ ratePerSecond, record }: Wanted, lanes: number): LoadShape => ({
  batch: record.batch,
  intervalMs: laneIntervalMs(ratePerSecond, lanes, record.batch),
  sizeBytes: record.sizeBytes,
});

/** At most so many requests a lane, so that a cluster which needs 100 ms for each is done within seconds. */
const COUNTED_REQUESTS = 40;
const COUNTED_BYTES = 512;

/**
 * A load that is counted, not timed: as the scenario's, but as fast as the lanes are answered, in few requests of small records.
 * At the scenario's own rate a thousand records could take minutes, and a thousand of its large ones gigabytes.
 */
export const countedShape = ({ record }: Wanted, recordsPerLane: number): LoadShape => ({
  batch: Math.max(record.batch, Math.ceil(recordsPerLane / COUNTED_REQUESTS)),
  intervalMs: 0,
  sizeBytes: Math.min(record.sizeBytes, COUNTED_BYTES),
});
