// How much slower than before even the untouched paths are right now: a busy machine, not a fault. What heals is measured against
// its baseline plus this, or a drill on a loaded machine would call a healed fault unhealed.
import type { Baseline } from './baseline.ts';
import type { ProbeResult } from './probe.ts';

const REMEMBERED = 20;
const MOST_MS = 500;

export class Busyness {
  readonly #recent: number[] = [];

  /** Takes one probe of a path that the fault never touched. */
  note(probe: ProbeResult, baseline: Baseline): void {
    if (probe.class === 'ok') this.#recent.push(Math.max(0, probe.ms - baseline.medianMs));
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
  }

  /** The slowest of the last controls, beyond its own baseline; at most half a second. */
  get extraMs(): number {
    return Math.min(MOST_MS, Math.max(0, ...this.#recent));
  }
}
