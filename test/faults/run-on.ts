// Runs one fault on a target as a run would, with a journal in memory, and gives back everything that was seen.
import { systemClock } from '../../src/clock.ts';
import { faultDefinition } from '../../src/faults/definitions.ts';
import type { FaultContext, FaultDefinition, JournalEdge, JournalLine } from '../../src/faults/fault.ts';
import type { FaultOutcome, FaultRun, TimedSample } from '../../src/faults/fault-run.ts';
import { type FaultSpec, faultSchema } from '../../src/faults/fault-schema.ts';
import type { Journal } from '../../src/faults/journal.ts';
import { runFault } from '../../src/faults/run-fault.ts';
import { randomStream } from '../../src/random.ts';
import type { StartedTarget } from '../../src/targets/target.ts';

export interface MemoryJournal extends Journal {
  /** Without what was made before the intent. */
  readonly edges: JournalEdge[];
  readonly lines: JournalLine[];
}

export const memoryJournal = (): MemoryJournal => {
  const edges: JournalEdge[] = [];
  const lines: JournalLine[] = [];
  return {
    path: 'memory',
    edges,
    lines,
    append: async (line) => {
      const { edge } = line;
      lines.push(line);
      if (edge !== 'preparing' && edge !== 'discarded') edges.push({ ...line, edge });
      await Promise.resolve();
    },
    close: async () => {
      await Promise.resolve();
    },
  };
};

export const contextOn = (target: StartedTarget, seed = 1): FaultContext => ({
  target,
  random: randomStream(seed, 'fault'),
  runId: 'Test_run-1',
  topicName: (alias) => `${alias}-real`,
});

/** A fault as a scenario writes it, `at` left to the test. */
export const specOf = (written: Readonly<Record<string, unknown>>): FaultSpec =>
  faultSchema.parse({ at: '0s', confirm: { timeout: '5s' }, heal: { timeout: '10s' }, ...written });

export const definitionOf = (kind: string): FaultDefinition => {
  const definition = faultDefinition(kind);
  if (definition === undefined) throw new Error(`no fault ${kind}`);
  return definition;
};

export interface Seen {
  readonly outcome: FaultOutcome;
  readonly edges: readonly JournalEdge[];
  readonly samples: readonly TimedSample[];
}

export const runOn = async (
  target: StartedTarget,
  written: Readonly<Record<string, unknown>>,
  more: Partial<FaultRun> = {},
): Promise<Seen> => {
  const spec = specOf(written);
  const journal = memoryJournal();
  const samples: TimedSample[] = [];
  const outcome = await runFault({
    id: `${spec.fault}-1`,
    definition: definitionOf(spec.fault),
    spec,
    context: contextOn(target),
    random: () => randomStream(1, 'fault'),
    journal,
    clock: systemClock,
    originMs: systemClock.now(),
    signal: new AbortController().signal,
    ...more,
    onEvidence: (sample) => {
      samples.push(sample);
      more.onEvidence?.(sample);
    },
  });
  return { outcome, edges: journal.edges, samples };
};

export interface Ending {
  /** The fault ends once this edge is written … */
  readonly edge?: 'confirmed' | 'unconfirmed';
  /** … or once evidence says this. */
  readonly seen?: RegExp;
  /** What is done at that moment, while the fault still lasts. */
  readonly first?: () => Promise<void>;
}

const LONG = '60s';

/** Faults that end by themselves take no duration. */
export const hasDuration = (kind: unknown): boolean => kind !== 'object-loss' && kind !== 'rolling-restart';

/**
 * Runs a fault until what is waited for has come, however long that takes on a busy machine, and then ends it. A fault for which
 * it never comes lasts a minute.
 */
export const runUntil = async (
  target: StartedTarget,
  written: Readonly<Record<string, unknown>>,
  { edge = 'confirmed', seen, first }: Ending = {},
  more: Partial<Pick<FaultRun, 'id' | 'onEdge' | 'strikes'>> = {},
): Promise<Seen> => {
  const ended = new AbortController();
  const end = async (): Promise<void> => {
    await first?.();
    ended.abort(new Error('seen enough'));
  };
  let ending: Promise<void> | undefined;
  const lasting = hasDuration(written['fault']) ? { duration: LONG } : {};
  const patient = { ...lasting, ...written, confirm: { timeout: LONG }, heal: { timeout: LONG } };
  const result = await runOn(target, patient, {
    ...more,
    signal: ended.signal,
    onEdge: (line) => {
      more.onEdge?.(line);
      if (seen === undefined && line.edge === edge) ending ??= end();
    },
    onEvidence: ({ seen: what }) => {
      if (seen?.test(what) === true) ending ??= end();
    },
  });
  await ending;
  return result;
};

/** The edges by name, in order. */
export const edgeNames = (seen: Pick<Seen, 'edges'>): readonly string[] => seen.edges.map((edge) => edge.edge);

export const WHOLE_LIFE = ['intent', 'applied', 'confirmed', 'healing', 'healed'];
