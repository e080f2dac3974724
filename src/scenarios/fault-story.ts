// What became of one fault: its edges and the samples of its evidence as they come, and the summary that the report tells. Nothing
// here acts; what a fault proved is decided by who performs it.
import type { JournalEdge } from '../faults/fault.ts';
import type { FaultOutcome, TimedSample } from '../faults/fault-run.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { holdsNow, tellingSample } from '../ledger/evidence-rounds.ts';
import type { FaultSummary } from '../ledger/run-record.ts';
import { type Late, Lateness } from './lateness.ts';

/** One fault's story so far, as the report tells it. */
export class FaultStory {
  readonly id: string;
  readonly spec: FaultSpec;
  readonly #edges: JournalEdge[] = [];
  readonly #samples: TimedSample[] = [];
  /** Those taken between applied and healing. */
  readonly #inWindow: TimedSample[] = [];
  readonly lateness = new Lateness();
  #actsAt: number | undefined;
  outcome: FaultOutcome | undefined;
  /** Age of the youngest acknowledgement of each victim partition when the fault was meant. */
  readonly exposure: FaultSummary['exposure'][number][] = [];

  constructor(id: string, spec: FaultSpec) {
    this.id = id;
    this.spec = spec;
  }

  edge(edge: JournalEdge): void {
    this.#edges.push(edge);
  }

  /** Notes that it acts from now on, at a moment of the part's time. */
  acts(at: number): void {
    this.#actsAt = at;
  }

  /** Whether an edge is the one that it began with, without having come to act. */
  isFirst(edge: JournalEdge): boolean {
    return this.#edges[0] === edge;
  }

  sample(sample: TimedSample): void {
    this.#samples.push(sample);
    if (this.#at('applied') !== undefined && this.#at('healing') === undefined) this.#inWindow.push(sample);
  }

  /** Whether the newest round shows each kind. */
  get marks(): { readonly mechanism: boolean; readonly effect: boolean; readonly control: boolean } {
    const holds = (kind: TimedSample['kind']): boolean => holdsNow(this.#samples.filter((each) => each.kind === kind));
    return { mechanism: holds('mechanism'), effect: holds('effect'), control: holds('control') };
  }

  /** By how much it began later than planned, and why; undefined before it began, and where it was in time. */
  get late(): Late | undefined {
    const begunAt = this.intendedAt ?? this.#edges[0]?.at;
    return begunAt === undefined ? undefined : this.lateness.at(begunAt);
  }

  /** Milliseconds of the part's time; undefined before it was applied. */
  get appliedAt(): number | undefined {
    return this.#at('applied');
  }

  /** When its mechanism was first seen at work: a broker that is asked to stop goes on for a while. Undefined before. */
  get shownAt(): number | undefined {
    const proof = tellingSample(this.#inWindow.filter(({ kind }) => kind === 'mechanism'));
    return proof?.holds === true ? proof.sample.at : undefined;
  }

  /** When it was about to be applied: the last moment at which nothing had been changed yet. */
  get intendedAt(): number | undefined {
    return this.#actsAt ?? this.#at('intent');
  }

  /** When it began to be taken back; undefined before, and for what cannot be taken back. */
  get healingAt(): number | undefined {
    return this.#at('healing');
  }

  /** When everything was as before again; undefined before, and for what cannot be taken back. */
  get healedAt(): number | undefined {
    return this.#at('healed');
  }

  /** Broker ids among the victims. */
  get brokers(): readonly number[] {
    return this.#edges.at(-1)?.brokers ?? [];
  }

  #at(edge: JournalEdge['edge']): number | undefined {
    return this.#edges.find((candidate) => candidate.edge === edge)?.at;
  }

  summary(): FaultSummary {
    const times = {
      plannedAt: this.lateness.plannedAt,
      appliedAt: this.#at('applied'),
      confirmedAt: this.#at('confirmed'),
      healingAt: this.#at('healing'),
      healedAt: this.#at('healed'),
    };
    const { reason, capacities } = this.outcome ?? {};
    const kinds = ['mechanism', 'effect', 'control'] as const;
    return {
      id: this.id,
      fault: this.spec.fault,
      victims: this.#edges.at(-1)?.victims ?? [],
      chosen: this.outcome?.chosen ?? '',
      state: this.#edges.at(-1)?.edge ?? 'not started',
      ...Object.fromEntries(Object.entries(times).filter(([, at]) => at !== undefined)),
      ...this.late,
      require: this.spec.confirm.require,
      confirmed: this.outcome?.confirmed ?? false,
      exposure: this.exposure,
      ...(reason === undefined ? {} : { reason }),
      ...(capacities === undefined ? {} : { capacities }),
      evidence: kinds.flatMap((kind) => {
        const proof = tellingSample(this.#inWindow.filter((each) => each.kind === kind));
        const seen = (proof?.sample ?? this.#samples.findLast((each) => each.kind === kind))?.seen;
        return seen === undefined ? [] : [{ kind, holds: proof?.holds ?? false, seen }];
      }),
    };
  }
}

/** The ids and stories of a part's faults, in the order of the scenario. */
export const storiesOf = (faults: readonly FaultSpec[]): readonly FaultStory[] =>
  faults.map((spec, index) => new FaultStory(`${spec.fault}-${index + 1}`, spec));
