// Which passes a part reads and from where: `full` from the earliest offset to the sentinel, `cold` again after every cache
// was dropped, and suspects by both readers when the first judgement misses something.
import type { ClientDefinition } from '../clients/client.ts';
import { InternalError } from '../errors.ts';
import type { ClusterReach } from '../evidence/cluster-reach.ts';
import type { Finding } from '../ledger/judgement.ts';
import { RangeSet } from '../ledger/range-set.ts';
import { rereadBy } from '../ledger/reader-misses.ts';
import { formatDuration } from '../units.ts';
import type { Anomaly } from '../vocabulary.ts';
import type { PartitionOffsets } from './cluster-eye.ts';
import { coldFailure, coldShortfall, runColdPass } from './cold-pass.ts';
import { type FaultBench, runPassFaults } from './fault-schedule.ts';
import type { FaultStory } from './fault-story.ts';
import type { Part } from './part.ts';
import { type PassOutcome, type PassPlan, type PassRange, runPass } from './replay.ts';
import type { RunContext } from './run-context.ts';
import { disagreements, isAmong, missText, type SuspectReading, type Suspects, suspectsOf } from './suspects.ts';
import { together } from './together.ts';

/** The anomalies that a second look, by another client and later, may put in another light. */
const SUSPECT: ReadonlySet<string> = new Set([
  'lost-write',
  'lost-tail',
  'lost-prefix',
  'log-reset',
  'inconsistent-offset',
  'duplicate-ack-offset',
  'unseen',
]);

const POLL_MS = 20;
/** A reader that was given nothing for so long, short of an end that the log itself tells, is stuck and not slow. */
const STUCK_MS = 5000;

export interface ReplayInput {
  readonly part: Part;
  /** The last snapshot before the replay. */
  readonly offsets: readonly PartitionOffsets[];
  readonly sentinels: ReadonlyMap<number, number>;
  /** Stretches that were proved to be gone for good, sorted: read around, because a read stops at the first. */
  readonly holes?: readonly Stretch[];
  /** Asked before each wait for the cluster. */
  readonly reach: Pick<ClusterReach, 'isThere' | 'patienceMs'>;
}

/** What tells how far the partitions reach. */
export type Extent = Pick<ReplayInput, 'part' | 'offsets' | 'sentinels' | 'holes'>;

/** Offsets `from` to `end` − 1 of one partition. */
export interface Stretch {
  readonly partition: number;
  readonly from: number;
  readonly end: number;
}

/** The range in pieces, without the holes; a partition with a hole is never read completely. */
const around = (range: PassRange, holes: readonly Stretch[]): PassRange[] => {
  const [hole, ...others] = holes.filter(({ partition, from }) => partition === range.partition && from >= range.from);
  if (hole === undefined || hole.from > range.above) return [range];
  const before: PassRange = { ...range, above: hole.from - 1, sentinel: false, reachedEnd: 'range' };
  const beyond = around({ ...range, from: hole.end, reachedEnd: 'range' }, others);
  return hole.from === range.from ? beyond : [before, ...beyond];
};

/** Whole partitions; one of which neither the end nor a sentinel is known has no end that a pass could claim to have reached. */
export const wholePartitions = (input: Extent): PassRange[] =>
  completely(input).flatMap((range) => around(range, input.holes ?? []));

const completely = ({ part, offsets, sentinels }: Extent): PassRange[] =>
  part.partitions.map((partition) => {
    const row = offsets.find((candidate) => candidate.partition === partition);
    const sentinel = sentinels.get(partition);
    const ends = [sentinel, row === undefined ? undefined : row.latest - 1].filter((end) => end !== undefined);
    return {
      partition,
      from: Math.max(row?.earliest ?? 0, part.begins.get(partition) ?? 0),
      above: ends.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ends),
      sentinel: sentinel !== undefined,
      reachedEnd: 'complete',
    };
  });

const readWhole = async (
  context: RunContext,
  input: ReplayInput,
  name: string,
  client: ClientDefinition,
  deadlineMs: number,
): Promise<PassOutcome> =>
  await runPass(
    input.part,
    {
      name,
      client,
      bootstrap: context.target.bootstrap,
      security: context.target.security,
      ranges: wholePartitions(input),
      deadlineMs,
    },
    context.interruption.replay,
  );

const note = (input: ReplayInput, client: ClientDefinition, outcome: PassOutcome, more: object = {}): void => {
  const { name, records, ms } = outcome;
  input.part.passes.push({ pass: name, client: client.kind, records, ms, ...more });
};

/**
 * Runs the passes the scenario asks for. A pass that a fault belongs to is read under the fault and once more after it: during
 * the fault explicit errors are legal, a silent gap is not. A pass that cannot be made is told, never left out silently.
 */
export const runPasses = async (
  context: RunContext,
  input: ReplayInput,
  passes: readonly string[],
  stories: readonly FaultStory[],
  bench: FaultBench | undefined,
): Promise<void> => {
  for (const name of passes) {
    if (context.interruption.replay.aborted) {
      input.part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail: `the pass "${name}" was skipped` });
      continue;
    }
    const mine = stories.filter(({ spec: { at } }) => at.kind === 'pass' && at.pass === name);
    if (mine.length > 0 && bench !== undefined) await readUnderFaults(context, input, name, mine, bench);
    await readPass(context, input, name);
  }
};

const readPass = async (context: RunContext, input: ReplayInput, name: string): Promise<void> => {
  if (name === 'cold') {
    await readCold(context, input);
    return;
  }
  const deadlineMs = await input.reach.patienceMs(context.passDeadlineMs);
  const outcome = await readWhole(context, input, name, context.reader, deadlineMs);
  note(input, context.reader, outcome);
  tellShortfall(input.part, outcome, input.offsets);
};

/** What a range that did not come to its end is called: what the cluster refused or withheld, or what was not asked for. */
const shortfallOf = (
  { partition, position, end, idleMs }: PassOutcome['ranges'][number],
  offsets: ReplayInput['offsets'],
): Anomaly => {
  const row = offsets.find((candidate) => candidate.partition === partition);
  const isInLog = row !== undefined && position >= row.earliest && position < row.latest;
  if (end === 'out-of-range' && isInLog) return 'out-of-range-reset';
  return end === 'timeout' && isInLog && idleMs >= STUCK_MS ? 'stuck-consumer' : 'insufficient-samples';
};

/** A pass that was asked for and did not come to the end proves less, whatever another one showed. */
export const tellShortfall = (
  part: Pick<Part, 'tell'>,
  { name, ranges }: PassOutcome,
  offsets: ReplayInput['offsets'],
): void => {
  for (const range of ranges) {
    const { partition, position, end, idleMs } = range;
    if (end === 'complete') continue;
    const anomaly = shortfallOf(range, offsets);
    const waited = anomaly === 'stuck-consumer' ? `, nothing for ${formatDuration(Math.round(idleMs))}` : '';
    const where = `the pass "${name}" ended at offset ${position} of partition ${partition}`;
    part.tell({ t: 'harness', anomaly, detail: `${where}, before the end (${end}${waited})` });
  }
};

/** The same read while its faults act; it goes on after their heal until its own deadline. */
const readUnderFaults = async (
  context: RunContext,
  input: ReplayInput,
  name: string,
  stories: readonly FaultStory[],
  bench: FaultBench,
): Promise<void> => {
  if (name === 'cold') await context.target.can.cooling?.cool(context.interruption.replay);
  let over = false;
  const faults = async (signal: AbortSignal): Promise<void> => {
    await runPassFaults({ ...bench, signal }, stories).finally(() => {
      over = true;
    });
  };
  const read = async (): Promise<void> => {
    // The faults first: a pass that is over before they bite proves nothing about them.
    const { replay } = context.interruption;
    const isEarly = (): boolean => !over && !replay.aborted && stories.some((story) => story.appliedAt === undefined);
    while (isEarly()) await bench.clock.sleep(POLL_MS, replay).catch(() => undefined);
    // Whether it can be reached says nothing here: the faults may be why it cannot.
    const { reader, passDeadlineMs } = context;
    note(input, reader, await readWhole(context, input, `${name}-under-fault`, reader, passDeadlineMs));
  };
  await together(bench.signal, [read, faults]);
};

const readCold = async (context: RunContext, input: ReplayInput): Promise<void> => {
  const { part, offsets } = input;
  const doubt = (detail: string): void => part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
  const topicIds = new Map(offsets.map(({ partition, topicId }) => [partition, topicId]));
  try {
    const deadlineMs = await input.reach.patienceMs(context.passDeadlineMs);
    const read = async (): Promise<PassOutcome> => await readWhole(context, input, 'cold', context.reader, deadlineMs);
    const cold = await runColdPass(context, topicIds, read);
    const { coldOffsets = 0, uncoveredOffsets = 0 } = cold.facts;
    note(input, context.reader, cold.outcome, cold.facts);
    tellShortfall(part, cold.outcome, offsets);
    const { localOffsets } = cold;
    const local = localOffsets === 0 ? {} : { localOffsets };
    part.tell({ t: 'cold-reads', ...cold.store, coveredOffsets: coldOffsets, uncoveredOffsets, ...local });
    const shortfall = coldShortfall(cold);
    if (shortfall !== undefined) doubt(shortfall);
  } catch (thrown) {
    if (thrown instanceof InternalError) throw thrown;
    const because = coldFailure(thrown);
    part.tell({ t: 'storage-gap', what: 'cold-reads', state: 'not collected', because });
    doubt(because);
  }
};

const isSuspect = ({ anomaly }: Finding): boolean => SUSPECT.has(anomaly);

/** Reads suspected partitions again by both readers, later. True when there was anything to read again. */
export const rereadSuspects = async (
  context: RunContext,
  input: ReplayInput,
  findings: readonly Finding[],
): Promise<boolean> => {
  const suspected = findings.filter(isSuspect);
  const partitions = new Set(suspected.map(({ partition }) => partition));
  if (partitions.size === 0 || context.interruption.replay.aborted) return false;
  if (!(await input.reach.isThere())) {
    const text = 'not all is as it was acknowledged, and nothing is read again: the cluster refuses every connection';
    context.listener({ kind: 'note', text });
    return false;
  }
  const { suspectsAfterMs } = context.scenario.replay;
  const which = partitions.size === 1 ? 'one partition' : `${partitions.size} partitions`;
  const text = `not all is as it was acknowledged in ${which}: read again in ${formatDuration(suspectsAfterMs)}, by both clients`;
  context.listener({ kind: 'note', text });
  await context.clock.sleep(suspectsAfterMs, context.interruption.replay).catch(() => undefined);
  const ranges = wholePartitions(input).filter((range) => partitions.has(range.partition));
  const suspects = suspectsOf(suspected);
  const readings: SuspectReading[] = [];
  for (const client of context.secondReaders)
    readings.push(await readSuspects(context, input, client, ranges, suspects));
  const { topic } = input.part;
  for (const miss of disagreements(readings)) {
    input.part.tell({ t: 'harness', anomaly: 'client-anomaly', detail: missText(miss), missed: { ...miss, topic } });
  }
  return true;
};

const readSuspects = async (
  context: RunContext,
  input: ReplayInput,
  client: ClientDefinition,
  ranges: readonly PassRange[],
  suspects: Suspects,
): Promise<SuspectReading> => {
  const found = new Map<number, RangeSet>();
  const plan: PassPlan = {
    name: rereadBy(client.kind),
    client,
    bootstrap: context.target.bootstrap,
    security: context.target.security,
    ranges,
    deadlineMs: await input.reach.patienceMs(context.passDeadlineMs),
    onRecord: (record) => {
      if (!isAmong(suspects, record)) return;
      const { partition, offset } = record;
      const offsets = found.get(partition) ?? new RangeSet();
      offsets.add(offset, offset);
      found.set(partition, offsets);
    },
  };
  const outcome = await runPass(input.part, plan, context.interruption.replay);
  note(input, client, outcome);
  const complete = outcome.ranges.filter(({ end }) => end === 'complete').map(({ partition }) => partition);
  return { client: client.kind, complete: new Set(complete), found };
};
