// How long one fault has for its healing. While another fault acts, a cluster cannot come to rest, whatever is put back: that time
// does not count, up to a bound.
import type { Clock } from '../clock.ts';

export interface HealTimeSpec {
  readonly clock: Clock;
  /** What the healing may take where no other fault acts, ms. */
  readonly allowedMs: number;
  /** How much longer it may take because of others, ms. */
  readonly othersMs: number;
  /** Until when others acted, by `clock.now()`: now, where one still does. */
  readonly othersUntil: () => number;
}

/** Begins when it is made. */
export class HealTime {
  readonly allowedMs: number;
  readonly #spec: HealTimeSpec;
  readonly #begun: number;

  constructor(spec: HealTimeSpec) {
    this.#spec = spec;
    this.allowedMs = spec.allowedMs;
    this.#begun = spec.clock.now();
  }

  /** Since when nothing but this healing is waited for, by the clock; it moves on while another fault acts. */
  sinceMs(): number {
    const latest = this.#begun + this.#spec.othersMs;
    return Math.max(this.#begun, Math.min(this.#spec.othersUntil(), latest));
  }

  /** What is left of it at this moment, ms; never below 0. */
  leftMs(): number {
    return Math.max(0, this.sinceMs() + this.allowedMs - this.#spec.clock.now());
  }
}
