// The load of a part and the faults under it: warm up, break, heal, and keep the load up until every partition has been
// acknowledged again or the bound has passed.
import { whyNotMeant as whyNotOfPartition } from '../faults/still-chosen.ts';
import { awaitFreshAcks, exposedPartitions, type ShadowsOf, tellExposure, unattempted } from './fault-exposure.ts';
import { type FaultBench, type FaultSurroundings, runFaultSchedule } from './fault-schedule.ts';
import type { FaultStory } from './fault-story.ts';
import { startLoad } from './load.ts';
import type { RunningWorkload } from './load-tally.ts';
import type { Part } from './part.ts';
import type { LeadershipOf } from './part-watch.ts';
import { awaitRecovery } from './recovery.ts';
import type { RunContext } from './run-context.ts';
import { snapshot } from './snapshots.ts';
import { follow, restUntil, together } from './together.ts';

export interface BreakPlan {
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** Instead of a duration: each lane sends this many records. */
  readonly recordsPerLane?: number;
}

export const loadAndBreak = async (
  context: RunContext,
  part: Part,
  plan: BreakPlan,
  stories: readonly FaultStory[],
  bench: FaultBench | undefined,
  leadershipOf: LeadershipOf,
): Promise<void> => {
  const { recordsPerLane } = plan;
  const { interruption, size } = context;
  const { own: ending, release } = follow(AbortSignal.any([interruption.load, size.exceeded]));
  const probed = probedPartitions(part, stories);
  const load = startLoad(context, part, { probed, ...(recordsPerLane === undefined ? {} : { recordsPerLane }) });
  const rest = async (ms: number): Promise<void> => await restUntil(context.clock, ms, ending.signal, load.finished);
  try {
    await load.started;
    enter(context, part, 'warm-up', plan.warmUpMs);
    if (recordsPerLane !== undefined) {
      await rest(plan.durationMs);
      tellUnsent(part, recordsPerLane * load.lanes, load);
      return;
    }
    await rest(plan.warmUpMs);
    enter(context, part, 'steady', plan.durationMs);
    const endsAt = part.at() + plan.durationMs;
    await together(ending.signal, [
      async (signal) => {
        if (bench === undefined) return;
        const moment = { steadyAt: part.at(), endsAt, acked: () => load.acked };
        await runFaultSchedule(
          { ...bench, signal },
          moment,
          surroundings(context, part, load, leadershipOf, stories),
          stories,
        );
      },
      async () => await rest(plan.durationMs),
    ]);
    if (bench !== undefined) {
      const boundMs = context.scenario.bounds.recoverWithinMs;
      await awaitRecovery({ part, clock: context.clock, load, stories, boundMs }, ending.signal);
    }
  } finally {
    release();
    await load.stop();
    tellSize(context, part);
  }
  tellInterruption(context, part);
};

/** The load, and with it every fault, ends when the run has written more than it may. */
const tellSize = ({ size }: RunContext, part: Part): void => {
  if (!size.exceeded.aborted) return;
  const detail = `the load was stopped: ${(size.exceeded.reason as Error).message}`;
  part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
};

/** A load of so many records: what was not sent in time is not checked either. */
const tellUnsent = (part: Part, wanted: number, load: RunningWorkload): void => {
  const { sent } = load.progress();
  if (sent >= wanted) return;
  const detail = `only ${sent} of ${wanted} records were sent in time`;
  part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
};

/** A load that was cut short is judged, and proves less than was asked for. */
const tellInterruption = ({ interruption }: RunContext, part: Part): void => {
  if (!interruption.load.aborted) return;
  const detail = `the load was cut short by ${interruption.signal ?? 'a signal'}`;
  part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
};

export const enter = (
  context: RunContext,
  part: Part,
  phase: Parameters<Part['enter']>[0],
  plannedMs?: number,
): void => {
  part.enter(phase);
  context.listener({ kind: 'phase', part: part.name, phase, plannedMs });
};

/** Partitions worth a probe lane: those a fault names, or the first one where it names none. */
const probedPartitions = (part: Part, stories: readonly FaultStory[]): readonly number[] => {
  if (stories.length === 0) return [];
  const named = stories.flatMap(({ spec: { victim } }) => ('partition' in victim ? [victim.partition] : []));
  return [...new Set(named.length === 0 ? part.partitions.slice(0, 1) : named)];
};

/** How long a snapshot may take while another fault lasts, which may be why nobody answers: the next fault is due. */
const AMID_FAULTS_MS = 300;

/** Snapshots and phases around each fault, and what the load did before and during it. */
const surroundings = (
  context: RunContext,
  part: Part,
  load: RunningWorkload,
  leadershipOf: LeadershipOf,
  stories: readonly FaultStory[],
): FaultSurroundings => {
  const leadersBefore = new Map<string, ReadonlyMap<number, number | undefined>>();
  const leadersOf = (id: string): ReadonlyMap<number, number | undefined> => leadersBefore.get(id) ?? new Map();
  const shadowsOf =
    (id: string): ShadowsOf =>
    (partition) =>
      stories.filter(
        (other) =>
          other.id !== id &&
          exposedPartitions(other.spec.victim, other.brokers, leadersOf(other.id)).includes(partition),
      );
  const noteLeaders = (id: string): void => {
    leadersBefore.set(id, new Map(part.partitions.map((partition) => [partition, leadershipOf(partition).leader])));
  };
  const whyNotMeant = ({ spec: { victim } }: FaultStory, brokers: readonly number[]): string | undefined =>
    'partition' in victim ? whyNotOfPartition(victim, brokers, leadershipOf(victim.partition)) : undefined;
  let open = 0;
  let isBroken = false;
  return {
    beforeFault: async ({ id }) => {
      open += 1;
      await snapshot(context.eye, part, 'before-fault', open === 1 ? undefined : AMID_FAULTS_MS);
      noteLeaders(id);
    },
    whyNotMeant,
    ready: async (story, brokers, signal) => {
      const { id, spec } = story;
      if (!isBroken) enter(context, part, 'fault');
      isBroken = true;
      noteLeaders(id);
      const partitions = exposedPartitions(spec.victim, brokers, leadersOf(id));
      await awaitFreshAcks(part, context.clock, partitions, load, shadowsOf(id), signal);
      return whyNotMeant(story, brokers);
    },
    awaited: (story) => unattempted(part, story, leadersOf(story.id), load),
    afterHeal: async (story) => {
      open -= 1;
      if (open === 0 && isBroken) {
        isBroken = false;
        enter(context, part, 'recovery');
      }
      await snapshot(context.eye, part, 'after-heal', open === 0 ? undefined : AMID_FAULTS_MS);
      tellExposure(part, story, leadersOf(story.id), load, shadowsOf(story.id));
    },
  };
};
