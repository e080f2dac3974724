// One part of a run from its topic to its judgement: load, faults, drain, replay, judge. The same code runs the preflight,
// the control and the fault run, so that the three differ only in what they are told to do.
import { isoTime } from '../clock.ts';
import { type AckproofError, describeError } from '../errors.ts';
import { addressesOf, ClusterReach } from '../evidence/cluster-reach.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { judgeRun } from '../ledger/judge-run.ts';
import type { RunResult } from '../ledger/judgement.ts';
import type { PartRecord } from '../ledger/run-record.ts';
import type { Unwatched } from '../targets/target.ts';
import { assertAccess, withoutPrograms } from './access.ts';
import { type BreakPlan, enter, loadAndBreak } from './break-part.ts';
import { CONTRACT_MS, SNAPSHOT_MS } from './cluster-eye.ts';
import { readDestroyed } from './destroyed.ts';
import { tellEpochs } from './epochs.ts';
import { type FaultBench, openFaultBench } from './fault-schedule.ts';
import { type FaultStory, storiesOf } from './fault-story.ts';
import { tellInventory } from './inventory.ts';
import { Part } from './part.ts';
import { watchPart } from './part-watch.ts';
import { type ReplayInput, rereadSuspects, runPasses } from './replay-passes.ts';
import { outcomeProfileOf, type RunContext } from './run-context.ts';
import { endAll, withCleanUp, withSecondLook, withUnhealedTold } from './run-ending.ts';
import { assertSameCluster } from './same-cluster.ts';
import { settingsToJudgeBy } from './settings-in-force.ts';
import { awaitSentinelsShown, writeSentinels } from './settle.ts';
import { assertKeptLongEnough, beginAt, tellRemoved } from './shared-topic.ts';
import { snapshot } from './snapshots.ts';
import { tellStorageAfter, tellStorageBefore } from './storage-evidence.ts';

export interface PartPlan extends BreakPlan {
  readonly name: Part['name'];
  readonly faults: readonly FaultSpec[];
  readonly passes: readonly string[];
}

export interface PartOutcome {
  readonly record: PartRecord;
  readonly result: RunResult;
}

const SENTINEL_MS = 30_000;
const SENTINEL_BYTES = 256;
/** For the log to show the sentinels once they are acknowledged. */
const SHOWN_MS = 10_000;

/**
 * Runs one part. Whatever goes wrong, its faults are healed and its files are closed; what goes wrong after it has a result, or a
 * loss in hand, goes into `troubles`.
 */
export const runPart = async (context: RunContext, plan: PartPlan, troubles: AckproofError[]): Promise<PartOutcome> => {
  const { scenario, place, clock, size } = context;
  const part = new Part({
    name: plan.name,
    runId: place.runId,
    runDirectory: place.directory,
    contract: scenario.contract,
    topic: scenario.workload.topic,
    clock,
  });
  const stories = storiesOf(plan.faults);
  part.tell({
    t: 'plan',
    faults: stories.map(({ id, spec }) => ({ id, fault: spec.fault })),
    passes: plan.passes,
  });
  let bench: FaultBench | undefined;
  const cleanUp = async (): Promise<void> =>
    await endAll(
      () => bench?.journal.close(),
      async () => await part.close(),
    );
  const unhealed = (): string[] =>
    stories.filter((story) => story.summary().state === 'heal-failed').map(({ id }) => id);
  const work = async (): Promise<PartOutcome> => {
    await prepareTopic(context, part);
    if (stories.length > 0) bench = await openFaultBench(context, part);
    const drained = await loadAndDrain(context, part, plan, stories, bench);
    const wasTooLarge = size.exceeded.aborted;
    const input = await replayed(context, drained, plan, stories, bench);
    await size.look();
    if (!wasTooLarge) tellSize(context, part);
    const result = await settledResult(context, input, troubles);
    const isKept = context.keep && part.name === 'main';
    if (result.judgement.verdict === 'pass' && !isKept) await dropTopic(context, part);
    context.listener({ kind: 'part-judged', part: part.name, result });
    return { record: { ...part.record(), faults: stories.map((story) => story.summary()), result }, result };
  };
  return await withCleanUp(troubles, cleanUp, async () => await withUnhealedTold(place.runId, unhealed, work));
};

/** Every pass of the plan, and what is looked for around them; returns what a second look has to read. */
const replayed = async (
  context: RunContext,
  drained: ReplayInput,
  plan: PartPlan,
  stories: readonly FaultStory[],
  bench: FaultBench | undefined,
): Promise<ReplayInput> => {
  const { part } = drained;
  enter(context, part, 'replay');
  const input = { ...drained, holes: await readDestroyed(context, drained, stories, 'destroyed') };
  await runPasses(context, input, plan.passes, stories, bench);
  const during = stories.filter(({ spec }) => spec.at.kind === 'pass');
  await readDestroyed(context, input, during, 'destroyed-during-replay');
  if (!context.interruption.replay.aborted) {
    await assertSameCluster(context, part);
    const after = await snapshot(context.eye, part, 'after-replay', await input.reach.patienceMs(SNAPSHOT_MS));
    tellRemoved(part, after);
    await tellEpochs(context.eye, part, await input.reach.patienceMs(SNAPSHOT_MS));
  }
  const topicIds = new Set(input.offsets.map(({ topicId }) => topicId));
  await tellInventory(context, part, topicIds);
  await tellStorageAfter(context, part, topicIds);
  tellCasualties(context, part);
  return input;
};

/** Judged, and judged again where a second look was worth it. */
const settledResult = async (
  context: RunContext,
  input: ReplayInput,
  troubles: AckproofError[],
): Promise<RunResult> => {
  enter(context, input.part, 'judge');
  const first = await judged(context, input.part);
  return await withSecondLook(troubles, first, async () => {
    const isReread = await rereadSuspects(context, input, first.judgement.findings);
    return isReread ? await judged(context, input.part) : first;
  });
};

const loadAndDrain = async (
  context: RunContext,
  part: Part,
  plan: PartPlan,
  stories: readonly FaultStory[],
  bench: FaultBench | undefined,
): Promise<ReplayInput> => {
  await tellStorageBefore(context, part);
  await using watch = await watchPart(context, part);
  await loadAndBreak(context, part, plan, stories, bench, watch.leadershipOf);
  return await drain(context, part);
};

const judged = async (context: RunContext, part: Part): Promise<RunResult> => {
  part.seal();
  return await judgeRun(part.directory, {
    bounds: part.name === 'main' ? context.scenario.bounds : {},
    ended: context.interruption.load.aborted ? 'interrupted' : 'complete',
  });
};

/** There is more than there may be, and it was not so while the load was up. */
const tellSize = ({ size }: RunContext, part: Part): void => {
  if (!size.exceeded.aborted) return;
  const detail = `too much was written: ${(size.exceeded.reason as Error).message}`;
  part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
};

/** A node that ended although nobody told it to: whatever was measured after that is not what was meant. */
const tellCasualties = ({ target }: RunContext, part: Part): void => {
  for (const node of target.casualties?.() ?? []) {
    part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail: `${node} ended by itself; see its log` });
  }
  for (const gap of target.unwatched?.() ?? []) tellUnwatched(part, gap);
  for (const node of target.restartedProxies?.() ?? []) {
    const detail = `${node} hung and was started again, which cut everything through it: no time of recovery can be told`;
    part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
  }
};

/** What became of containers in a gap that has ended was looked up; in one that lasts anything may have. */
const tellUnwatched = (part: Part, { fromMs, toMs, why }: Unwatched): void => {
  const text = `nobody told what became of the containers from ${isoTime(fromMs)} `;
  if (toMs !== undefined) {
    part.tell({ t: 'note', source: 'target', text: `${text}to ${isoTime(toMs)}, when each was looked at: ${why}` });
    return;
  }
  part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail: `${text}on: ${why}` });
};

const prepareTopic = async (context: RunContext, part: Part): Promise<void> => {
  const { scenario, eye, size } = context;
  const { workload, contract } = scenario;
  enter(context, part, 'preflight');
  await size.look();
  await assertSameCluster(context);
  if (workload.topic.existing !== true) await eye.createTopic(part.topic, workload.topic, contract);
  try {
    await checkTopic(context, part);
  } catch (thrown) {
    // Nothing is in it that anybody could want to see.
    await dropTopic(context, part);
    throw thrown;
  }
};

/** That it is what the contract says and may be used; from here on it is known where this part begins. */
const checkTopic = async ({ scenario, eye, target }: RunContext, part: Part): Promise<void> => {
  const { workload, contract } = scenario;
  const { existing = false } = workload.topic;
  await assertAccess(eye, part.topic, withoutPrograms(scenario, target.can.commands?.named ?? {}));
  const inForce = await eye.assertContract(part.topic, workload.topic, contract);
  if (existing) assertKeptLongEnough(part.topic, inForce, workload);
  part.addSettings(settingsToJudgeBy(inForce, workload, existing));
  const baseline = await snapshot(eye, part, 'baseline');
  if (!target.ephemeral) part.topicId = await eye.topicId(part.topic);
  if (existing) beginAt(part, baseline);
};

const dropTopic = async (context: RunContext, part: Part): Promise<void> => {
  if (context.scenario.workload.topic.existing === true) return;
  try {
    await context.eye.deleteTopic(part.topic);
  } catch (thrown) {
    const text = `the topic ${part.topic} was not deleted: ${describeError(thrown)}`;
    part.tell({ t: 'note', source: 'target', text });
  }
};

/** Snapshot, sentinels, contract once more: what the replay is read up to. */
const drain = async (context: RunContext, part: Part): Promise<ReplayInput> => {
  const { clock, scenario, target, wire, interruption, eye } = context;
  enter(context, part, 'settle');
  await assertSameCluster(context, part);
  const reach = reachOf(context, part);
  const offsets = await snapshot(eye, part, 'after-producers', await reach.patienceMs(SNAPSHOT_MS));
  await tellEpochs(eye, part, await reach.patienceMs(SNAPSHOT_MS));
  const sentinels = await writeSentinels({
    part,
    clock,
    client: wire,
    bootstrap: target.bootstrap,
    security: target.security,
    profile: outcomeProfileOf(target.profile),
    recordBytes: SENTINEL_BYTES,
    attemptTimeoutMs: scenario.workload.attemptTimeoutMs,
    deadlineMs: await reach.patienceMs(SENTINEL_MS),
    signal: interruption.replay,
  });
  const signal = interruption.replay;
  const shownMs = await reach.patienceMs(SHOWN_MS);
  await awaitSentinelsShown({ part, eye, clock, sentinels, deadlineMs: shownMs, signal });
  await tellContractChanges(context, part, await reach.patienceMs(CONTRACT_MS));
  return { part, offsets, sentinels, reach };
};

/** One that died during the load is waited for once, not by each step until the judgement. */
const reachOf = ({ target, clock, interruption }: RunContext, part: Part): ClusterReach =>
  new ClusterReach({
    clock,
    addresses: addressesOf(target),
    signal: interruption.replay,
    onAway: (waitedMs) => {
      const detail = `after the load the cluster refused every connection for ${waitedMs} ms`;
      part.tell({ t: 'harness', anomaly: 'no-progress', detail });
    },
  });

const tellContractChanges = async (context: RunContext, part: Part, deadlineMs: number): Promise<void> => {
  const { eye, scenario } = context;
  try {
    const { topic } = scenario.workload;
    const changes = await eye.contractMismatches(part.topic, topic, scenario.contract, deadlineMs);
    for (const change of changes) {
      part.tell({
        t: 'harness',
        anomaly: 'insufficient-samples',
        detail: `the contract changed during the run: ${change}`,
      });
    }
  } catch (thrown) {
    const detail = `the contract could not be read back after the load: ${describeError(thrown)}`;
    part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
  }
};
