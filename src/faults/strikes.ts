// Which nodes the faults of a part have in hand, and since when: what one fault changes can be no control of another.
import type { Clock } from '../clock.ts';
import type { NodeId } from '../targets/target.ts';

interface Strike {
  readonly id: string;
  readonly nodes: readonly NodeId[];
  /** By `clock.now()`; set when what it changed is put back. */
  putBackAt: number;
  /** By `clock.now()`; set when the fault is over. */
  endedAt: number;
}

export class Strikes {
  readonly #clock: Clock;
  readonly #strikes: Strike[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From here on the fault `id` has these nodes in hand. */
  begin(id: string, nodes: readonly NodeId[]): void {
    this.#strikes.push({ id, nodes, putBackAt: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY });
  }

  /** What the fault `id` changed is as it was; what became of it is not yet over. */
  putBack(id: string): void {
    for (const strike of this.#strikes)
      if (strike.id === id) strike.putBackAt = Math.min(strike.putBackAt, this.#clock.now());
  }

  end(id: string): void {
    this.putBack(id);
    for (const strike of this.#strikes)
      if (strike.id === id) strike.endedAt = Math.min(strike.endedAt, this.#clock.now());
  }

  /** Until when faults other than `id` acted, by `clock.now()`: now, where one still does; −∞ where none ever did. */
  othersUntil(id: string): number {
    const others = this.#strikes.filter((strike) => strike.id !== id);
    return Math.min(this.#clock.now(), Math.max(...others.map(({ putBackAt }) => putBackAt)));
  }

  /** Nodes that faults other than `id` have had in hand at any time since `sinceMs`, by `clock.now()`. */
  byOthers(id: string, sinceMs: number): ReadonlySet<NodeId> {
    const others = this.#strikes.filter((strike) => strike.id !== id && strike.endedAt >= sinceMs);
    return new Set(others.flatMap((strike) => strike.nodes));
  }
}
