// By how much a fault began later than planned, and what it waited for. A window that has moved is another drill than the one
// that was asked for, so whoever reads the report is told.
import type { FaultSummary } from '../ledger/run-record.ts';

/** A fault that begins so much later than planned is told, ms. */
const LATE_MS = 250;
/** A shorter wait is no reason, ms. */
const LEAST_WAIT_MS = 50;

interface Wait {
  readonly why: string;
  readonly ms: number;
}

export type Late = Required<Pick<FaultSummary, 'lateMs' | 'lateBecause'>>;

/** The plan of one fault, and what held it up. */
export class Lateness {
  readonly #waits: Wait[] = [];
  #plannedAt: number | undefined;

  /** The moment, of the part's time, at which it is to begin; undefined before that is known. */
  get plannedAt(): number | undefined {
    return this.#plannedAt;
  }

  /** Notes the moment, of the part's time, at which the fault is to begin. */
  plan(at: number): void {
    this.#plannedAt = at;
  }

  /** Notes what it waited for in a stretch of the part's time, a sentence without its full stop; only what is after the plan counts. */
  waited(why: string, from: number, to: number): void {
    const ms = to - Math.max(from, this.#plannedAt ?? from);
    if (ms > 0) this.#waits.push({ why, ms });
  }

  /** For a fault that began at `begunAt`; undefined where it began in time, or was not planned yet. */
  at(begunAt: number): Late | undefined {
    const plannedAt = this.#plannedAt;
    if (plannedAt === undefined || begunAt - plannedAt <= LATE_MS) return undefined;
    const lateMs = Math.round(begunAt - plannedAt);
    const rest = this.#waits.reduce((left, { ms }) => left - ms, lateMs);
    const all = [...this.#waits, { why: 'it took that long to prepare', ms: rest }];
    const longest = all.reduce((one, other) => (other.ms > one.ms ? other : one));
    const reasons = all.filter((wait) => wait === longest || wait.ms >= LEAST_WAIT_MS).map(({ why }) => why);
    return { lateMs, lateBecause: reasons.join('; ') };
  }
}
