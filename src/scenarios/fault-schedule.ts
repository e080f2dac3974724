// Runs a part's faults at their moments and writes down each edge and sample. What a fault proved is decided later, from
// what is written here; nothing in this file looks at a result.
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { InternalError } from '../errors.ts';
import { faultOn } from '../faults/definitions.ts';
import type { FaultContext, JournalEdge } from '../faults/fault.ts';
import type { FaultOutcome, FaultRun } from '../faults/fault-run.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { longestLifeMs } from '../faults/fault-times.ts';
import { createJournal, type Journal } from '../faults/journal.ts';
import { runFault } from '../faults/run-fault.ts';
import { Strikes } from '../faults/strikes.ts';
import type { WatchdogPing } from '../faults/watchdog.ts';
import { type Random, randomStream } from '../random.ts';
import { tellMissedOverlaps } from './fault-overlap.ts';
import type { FaultStory } from './fault-story.ts';
import type { Late } from './lateness.ts';
import type { Part } from './part.ts';
import type { RunListener } from './progress.ts';
import type { RunContext } from './run-context.ts';
import { together } from './together.ts';

const POLL_MS = 20;
/** A fault with a moment is prepared so long before it, ms: victims are looked up and baselines taken by then. */
const PREPARED_BEFORE_MS = 5000;
/** Its intent is written so long before it, ms: a disk that is busy may take its time. */
const INTENDED_BEFORE_MS = 400;

/** Everything a fault needs to be performed and written down, for as long as a part lasts. */
export interface FaultBench {
  readonly part: Part;
  readonly context: Omit<FaultContext, 'random'>;
  /** The stream of one fault's own, by its id. */
  randomOf(id: string): Random;
  readonly strikes: Strikes;
  readonly journal: Journal;
  readonly watchdog: WatchdogPing;
  readonly clock: Clock;
  readonly listener: RunListener;
  readonly signal: AbortSignal;
}

/** Opens the journal of a part's faults; whoever opens the bench closes its journal. */
export const openFaultBench = async (context: RunContext, part: Part): Promise<FaultBench> => {
  const { place, clock, listener, interruption, watchdog, target, seed } = context;
  const header = { run: place.runId, at: part.at(), wallMs: clock.wall() };
  return {
    part,
    journal: await createJournal(join(part.directory, 'journal.ndjson'), header),
    strikes: new Strikes(systemClock),
    watchdog,
    clock,
    listener,
    signal: interruption.load,
    context: { target, runId: place.runId, topicName: () => part.topic },
    randomOf: (id) => randomStream(seed, `faults/${id}`),
  };
};

/** What the moments of faults are measured against. */
export interface FaultClock {
  /** Milliseconds of the part's time at which the load became steady; offsets count from here. */
  readonly steadyAt: number;
  /** Milliseconds of the part's time at which the planned load ends: a fault whose moment has not come by then never begins. */
  readonly endsAt: number;
  acked(): number;
}

export interface FaultSurroundings {
  /** Called before a fault is prepared, once for each. */
  beforeFault(story: FaultStory): Promise<void>;
  /** Called once a fault is over, healed or not. */
  afterHeal(story: FaultStory): Promise<void>;
  /**
   * Called at the fault's moment; waits until the load is such that the fault, on these brokers, can catch something; bounded. Says
   * why it must not act, in words; undefined where it may.
   */
  ready?(story: FaultStory, brokers: readonly number[], signal: AbortSignal): Promise<string | undefined>;
  /** Why these brokers are not whom a fault means of its partition now, in words; undefined where they are, and where nobody knows. */
  whyNotMeant?(story: FaultStory, brokers: readonly number[]): string | undefined;
  /** What is still to be seen of the load while the fault lasts, in words; undefined once that is enough. */
  awaited?(story: FaultStory): string | undefined;
}

/** Runs the faults whose moment is a time or a number of acknowledgements; ends, also by an error, when each is over and healed. */
export const runFaultSchedule = async (
  bench: FaultBench,
  moment: FaultClock,
  around: FaultSurroundings,
  stories: readonly FaultStory[],
): Promise<void> => {
  const duringLoad = stories.filter((story) => story.spec.at.kind !== 'pass');
  const over = new Set<FaultStory>();
  await together(
    bench.signal,
    duringLoad.map((story) => async (signal) => {
      const own = { ...bench, signal };
      if (!(await momentNear(own, moment, story, duringLoad, over))) return;
      if (!(await earlierAreOver(own, story, duringLoad, over))) return;
      await timed(own, story, 'what the cluster looked like before it was slow to learn', async () => {
        await around.beforeFault(story);
      });
      const amid = amidOthers(around, story, duringLoad, over);
      const othersMs = longestBeside(story, duringLoad);
      await runOneFault(own, story, { ...hooksOf(own, around, story), ...amid, othersMs });
      await around.afterHeal(story);
      over.add(story);
    }),
  );
  tellMissedOverlaps(bench.part, duringLoad);
};

/** Performs what a fault has to wait for, and notes how long that took. */
const timed = async ({ part }: FaultBench, story: FaultStory, why: string, act: () => Promise<void>): Promise<void> => {
  const begun = part.at();
  await act();
  story.lateness.waited(why, begun, part.at());
};

/** Sleeps until a moment of the part's time; false when the run is being stopped. */
const reached = async ({ part, clock, signal }: FaultBench, at: number): Promise<boolean> => {
  // A timer may fire a little early.
  while (part.at() < at && !signal.aborted) await clock.sleep(at - part.at(), signal).catch(() => undefined);
  return !signal.aborted;
};

/** What a fault that is prepared waits for: first until its intent is to be written, then for its moment and a fresh load. */
const hooksOf = (
  bench: FaultBench,
  around: Pick<FaultSurroundings, 'ready' | 'awaited'>,
  story: FaultStory,
): Pick<FaultRun, 'nearly' | 'ready' | 'awaited'> => {
  const plannedAt = story.lateness.plannedAt ?? 0;
  return {
    nearly: async () => await reached(bench, plannedAt - INTENDED_BEFORE_MS),
    ready: async (brokers) => {
      if (!(await reached(bench, plannedAt))) return undefined;
      let whyNot: string | undefined;
      await timed(bench, story, 'it waited for a fresh acknowledgement', async () => {
        whyNot = await around.ready?.(story, brokers, bench.signal);
      });
      story.acts(bench.part.at());
      if (story.late !== undefined) tellLate(bench.part, story, story.late);
      return whyNot;
    },
    awaited: () => around.awaited?.(story),
  };
};

/** Those that may have begun when a fault with a moment is prepared, and are not over. */
const begunBefore = (
  story: FaultStory,
  stories: readonly FaultStory[],
  over: ReadonlySet<FaultStory>,
): readonly FaultStory[] => {
  const { at } = story.spec;
  if (at.kind !== 'time') return [];
  const isBefore = ({ spec: { at: its } }: FaultStory): boolean => its.kind !== 'time' || its.offsetMs < at.offsetMs;
  return stories.filter((other) => other !== story && isBefore(other) && !over.has(other));
};

const amidOthers = (
  around: Pick<FaultSurroundings, 'whyNotMeant'>,
  story: FaultStory,
  stories: readonly FaultStory[],
  over: ReadonlySet<FaultStory>,
): Pick<FaultRun, 'amid'> => {
  const { plannedAt } = story.lateness;
  if (plannedAt === undefined || begunBefore(story, stories, over).length === 0) return {};
  return { amid: { plannedAt, whyNotMeant: (brokers) => around.whyNotMeant?.(story, brokers) } };
};

/** Runs the faults that belong to a replay pass which begins now. */
export const runPassFaults = async (bench: FaultBench, stories: readonly FaultStory[]): Promise<void> => {
  await together(
    bench.signal,
    stories.map((story) => async (signal) => {
      const { at } = story.spec;
      if (at.kind !== 'pass') return;
      const own = { ...bench, signal };
      const plannedAt = bench.part.at() + at.offsetMs;
      story.lateness.plan(plannedAt);
      const othersMs = longestBeside(story, stories);
      if (!(await reached(own, plannedAt - PREPARED_BEFORE_MS))) return;
      await runOneFault(own, story, { ...hooksOf(own, {}, story), othersMs });
    }),
  );
  tellMissedOverlaps(bench.part, stories);
};

/** How long another fault may last beside this one, ms; none lasts for no time. */
const longestBeside = (story: FaultStory, stories: readonly FaultStory[]): number =>
  Math.max(0, ...stories.filter((other) => other !== story).map(({ spec }) => longestLifeMs(spec, undefined)));

const runOneFault = async (
  bench: FaultBench,
  story: FaultStory,
  hooks: Pick<FaultRun, 'amid' | 'nearly' | 'ready' | 'awaited' | 'othersMs'>,
): Promise<void> => {
  const { part, clock, listener, journal, watchdog, context, strikes, signal } = bench;
  const { id, spec } = story;
  const definition = faultOn(spec.fault, context.target.can.commands);
  if (definition === undefined) throw new InternalError('FAULT_UNKNOWN', `No fault is called ${spec.fault}.`);
  story.outcome = await runFault({
    id,
    definition,
    spec,
    context,
    random: () => bench.randomOf(id),
    strikes,
    journal,
    watchdog,
    clock,
    originMs: clock.now() - part.at(),
    signal,
    ...hooks,
    onEdge: (edge) => {
      story.edge(edge);
      tellEdge(part, story, edge, context.target.brokers.length);
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
  tellIneffective(part, story, story.outcome);
};

/**
 * Where the mechanism is enough, the judge takes a fault that was applied for one that acted, whatever its evidence said later.
 * What the tracker made of that evidence is told here.
 */
const tellIneffective = (
  part: Part,
  { id, spec }: FaultStory,
  { appliedAt, confirmed, reason }: FaultOutcome,
): void => {
  if (appliedAt === undefined || confirmed || spec.confirm.require !== 'mechanism') return;
  part.tell({
    t: 'harness',
    anomaly: 'fault-not-effective',
    detail: `${id}: ${reason ?? 'its mechanism was not seen'}`,
  });
};

const proofText = (edge: JournalEdge): string =>
  (edge.evidence ?? [])
    .filter((sample) => sample.holds)
    .map((sample) => `${sample.kind.charAt(0).toUpperCase()}: ${sample.seen}`)
    .slice(0, 3)
    .join(' · ');

const tellEdge = (part: Part, story: FaultStory, edge: JournalEdge, brokersInAll: number): void => {
  const require = story.spec.confirm.require === 'mechanism' ? { require: 'mechanism' as const } : {};
  if (story.isFirst(edge) && edge.edge !== 'intent' && story.late !== undefined) tellLate(part, story, story.late);
  const victims = edge.brokers.length === 0 ? {} : { victims: edge.brokers };
  const everyBroker = edge.brokers.length > 0 && edge.brokers.length === brokersInAll ? { everyBroker: true } : {};
  part.tell(
    { t: 'fault', fault: edge.fault, id: story.id, edge: edge.edge, ...victims, ...everyBroker, ...require },
    edge.at,
  );
  if (edge.edge !== 'healing' || edge.reason === undefined) return;
  part.tell({ t: 'note', source: 'faults', text: `${story.id} was ${edge.reason}` }, edge.at);
};

const tellLate = (part: Part, { id }: FaultStory, { lateMs, lateBecause }: Late): void => {
  part.tell({ t: 'note', source: 'faults', text: `${id} begins ${lateMs} ms later than planned: ${lateBecause}` });
};

/** When a fault with a moment and a duration was to be over, ms after the load became steady. */
const plannedEndOf = ({ at, durationMs }: FaultSpec): number =>
  at.kind === 'time' && durationMs !== undefined ? at.offsetMs + durationMs : Number.POSITIVE_INFINITY;

/**
 * Waits for the faults that were to be over by now, because one may be held longer than planned and two together would be another
 * drill. False when the run is being stopped.
 */
const earlierAreOver = async (
  { part, clock, signal }: FaultBench,
  { spec: { at }, lateness }: FaultStory,
  stories: readonly FaultStory[],
  over: ReadonlySet<FaultStory>,
): Promise<boolean> => {
  if (at.kind !== 'time') return !signal.aborted;
  const begun = part.at();
  const open = (): readonly FaultStory[] =>
    stories.filter((other) => plannedEndOf(other.spec) <= at.offsetMs && !over.has(other));
  const waitedFor = open();
  while (open().length > 0 && !signal.aborted) await clock.sleep(POLL_MS, signal).catch(() => undefined);
  if (waitedFor.length > 0) {
    const names = waitedFor.map(({ id }) => id).join(', ');
    lateness.waited(`${names} ${waitedFor.length === 1 ? 'was' : 'were'} not over`, begun, part.at());
  }
  return !signal.aborted;
};

/**
 * Waits until a fault is to be prepared: some time before its moment. One that is planned amid others waits until it is known whom
 * they strike, so that it takes none of those for a control; one that is planned after others waits for their end. False when the
 * run is being stopped, or the load ends, before the moment comes.
 */
const momentNear = async (
  bench: FaultBench,
  moment: FaultClock,
  story: FaultStory,
  stories: readonly FaultStory[],
  over: ReadonlySet<FaultStory>,
): Promise<boolean> => {
  const { part, clock, signal } = bench;
  const { at } = story.spec;
  if (at.kind !== 'time') return await acknowledged(bench, moment, story);
  const plannedAt = moment.steadyAt + at.offsetMs;
  story.lateness.plan(plannedAt);
  await reached(bench, plannedAt - PREPARED_BEFORE_MS);
  const isWaitedFor = (other: FaultStory): boolean =>
    other.intendedAt === undefined || plannedEndOf(other.spec) <= at.offsetMs;
  while (part.at() < plannedAt && begunBefore(story, stories, over).some(isWaitedFor) && !signal.aborted) {
    await clock.sleep(Math.min(POLL_MS, plannedAt - part.at()), signal).catch(() => undefined);
  }
  return !signal.aborted;
};

/** Waits for so many acknowledged records; a fault that they never come for is told. */
const acknowledged = async (bench: FaultBench, moment: FaultClock, story: FaultStory): Promise<boolean> => {
  const { part, clock, signal } = bench;
  const { at } = story.spec;
  if (at.kind !== 'acks') return false;
  while (moment.acked() < at.count && part.at() < moment.endsAt && !signal.aborted) {
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
  if (signal.aborted) return false;
  story.lateness.plan(part.at());
  if (moment.acked() >= at.count) return true;
  const detail = `${story.id} was to begin after ${at.count} acknowledged records; there were ${moment.acked()}`;
  part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
  return false;
};
