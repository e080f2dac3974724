// Runs a part's faults at their moments and writes down each edge and sample. What a fault proved is decided later, from
// what is written here; nothing in this file looks at a result.
import type { Clock } from '../clock.ts';
import { InternalError } from '../errors.ts';
import { faultDefinition } from '../faults/definitions.ts';
import type { FaultContext, JournalEdge } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import type { Journal } from '../faults/journal.ts';
import { type FaultOutcome, runFault, type TimedSample } from '../faults/run-fault.ts';
import type { WatchdogPing } from '../faults/watchdog.ts';
import type { FaultSummary } from '../ledger/run-record.ts';
import type { Part } from './part.ts';
import type { RunListener } from './progress.ts';

export interface FaultScheduleOptions {
  readonly part: Part;
  readonly context: FaultContext;
  readonly journal: Journal;
  readonly watchdog: WatchdogPing;
  readonly clock: Clock;
  /** Milliseconds of the part's time at which the load became steady; offsets count from here. */
  readonly steadyAt: number;
  readonly acked: () => number;
  readonly listener: RunListener;
  readonly signal: AbortSignal;
  /** Called right before a fault acts, once for each. */
  readonly beforeFault: (story: FaultStory) => Promise<void>;
  /** Called once a fault is over, healed or not. */
  readonly afterHeal: (story: FaultStory) => Promise<void>;
}

/** One fault's story so far, as the report tells it. */
export class FaultStory {
  readonly id: string;
  readonly spec: FaultSpec;
  readonly #edges: JournalEdge[] = [];
  readonly #latest = new Map<TimedSample['kind'], TimedSample>();
  readonly #proof = new Map<TimedSample['kind'], TimedSample>();
  outcome: FaultOutcome | undefined;
  /** Age of the youngest acknowledgement of each victim partition when the fault was applied. */
  readonly exposure: { readonly partition: number; readonly lastAckAgeMs?: number }[] = [];

  constructor(id: string, spec: FaultSpec) {
    this.id = id;
    this.spec = spec;
  }

  edge(edge: JournalEdge): void {
    this.#edges.push(edge);
  }

  sample(sample: TimedSample): void {
    this.#latest.set(sample.kind, sample);
    const inWindow = this.#at('applied') !== undefined && this.#at('healing') === undefined;
    if (inWindow && sample.holds && !this.#proof.has(sample.kind)) this.#proof.set(sample.kind, sample);
  }

  /** Whether the newest sample of each kind holds. */
  get marks(): { readonly mechanism: boolean; readonly effect: boolean; readonly control: boolean } {
    const holds = (kind: TimedSample['kind']): boolean => this.#latest.get(kind)?.holds === true;
    return { mechanism: holds('mechanism'), effect: holds('effect'), control: holds('control') };
  }

  /** Milliseconds of the part's time; undefined before it was applied. */
  get appliedAt(): number | undefined {
    return this.#at('applied');
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
      appliedAt: this.#at('applied'),
      confirmedAt: this.#at('confirmed'),
      healingAt: this.#at('healing'),
      healedAt: this.#at('healed'),
    };
    const reason = this.outcome?.reason;
    const kinds = ['mechanism', 'effect', 'control'] as const;
    return {
      id: this.id,
      fault: this.spec.fault,
      victims: this.#edges.at(-1)?.victims ?? [],
      chosen: this.outcome?.chosen ?? '',
      state: this.#edges.at(-1)?.edge ?? 'not started',
      ...Object.fromEntries(Object.entries(times).filter(([, at]) => at !== undefined)),
      require: this.spec.confirm.require,
      exposure: this.exposure,
      ...(reason === undefined ? {} : { reason }),
      evidence: kinds.flatMap((kind) => {
        const sample = this.#proof.get(kind) ?? this.#latest.get(kind);
        return sample === undefined ? [] : [{ kind, holds: this.#proof.has(kind), seen: sample.seen }];
      }),
    };
  }
}

/** The ids and stories of a part's faults, in the order of the scenario. */
export const storiesOf = (faults: readonly FaultSpec[]): readonly FaultStory[] =>
  faults.map((spec, index) => new FaultStory(`${spec.fault}-${index + 1}`, spec));

/** Runs the faults whose moment is a time or a number of acknowledgements; resolves when each is over. */
export const runFaultSchedule = async (
  options: FaultScheduleOptions,
  stories: readonly FaultStory[],
): Promise<void> => {
  const timed = stories.filter((story) => story.spec.at.kind !== 'pass');
  await Promise.all(timed.map(async (story) => await runStory(options, story)));
};

const runStory = async (options: FaultScheduleOptions, story: FaultStory): Promise<void> => {
  if (!(await momentReached(options, story.spec))) return;
  await options.beforeFault(story);
  await runOneFault(options, story);
  await options.afterHeal(story);
};

/** Runs one fault now, whatever its moment says. */
export const runOneFault = async (
  options: Omit<FaultScheduleOptions, 'steadyAt' | 'acked' | 'beforeFault' | 'afterHeal'>,
  story: FaultStory,
): Promise<void> => {
  const { part, clock, listener, journal, watchdog, context, signal } = options;
  const { id, spec } = story;
  const definition = faultDefinition(spec.fault);
  if (definition === undefined) throw new InternalError('FAULT_UNKNOWN', `No fault is called ${spec.fault}.`);
  story.outcome = await runFault({
    id,
    definition,
    spec,
    context,
    journal,
    watchdog,
    clock,
    originMs: clock.now() - part.at(),
    signal,
    onEdge: (edge) => {
      story.edge(edge);
      tellEdge(part, story, edge);
      const detail = edge.edge === 'confirmed' ? proofText(edge) : (edge.reason ?? '');
      listener({ kind: 'fault', id, fault: spec.fault, edge: edge.edge, victims: edge.victims, detail });
    },
    onEvidence: (sample) => {
      story.sample(sample);
      const { at, kind, holds, seen } = sample;
      part.tell({ t: 'evidence', id, kind, holds, seen }, at);
      listener({ kind: 'evidence', id, ...story.marks });
    },
  });
};

const proofText = (edge: JournalEdge): string =>
  (edge.evidence ?? [])
    .filter((sample) => sample.holds)
    .map((sample) => `${sample.kind.charAt(0).toUpperCase()}: ${sample.seen}`)
    .slice(0, 3)
    .join(' · ');

const tellEdge = (part: Part, story: FaultStory, edge: JournalEdge): void => {
  const require = story.spec.confirm.require === 'mechanism' ? { require: 'mechanism' as const } : {};
  const victims = edge.brokers.length === 0 ? {} : { victims: edge.brokers };
  part.tell({ t: 'fault', fault: edge.fault, id: story.id, edge: edge.edge, ...victims, ...require }, edge.at);
};

/** False when the run is being stopped before the moment comes. */
const momentReached = async (options: FaultScheduleOptions, spec: FaultSpec): Promise<boolean> => {
  const { part, clock, signal, steadyAt } = options;
  const { at } = spec;
  try {
    if (at.kind === 'time') await clock.sleep(Math.max(0, steadyAt + at.offsetMs - part.at()), signal);
    while (at.kind === 'acks' && options.acked() < at.count) await clock.sleep(20, signal);
    return !signal.aborted;
  } catch {
    return false;
  }
};
