// Records that a fault of ours destroyed for good, looked for once more. A read that meets a missing object ends in an error, and
// an error never says that a record is lost: the store may be away. Here more is known (decision 0004): which object was deleted,
// that the store is well and does not have it, that the cluster refuses its offsets and serves what follows. Only then is the
// stretch written down as covered, with nothing in it, and the judge draws its own conclusion.
import { describeError } from '../errors.ts';
import type { DestroyedObject } from '../faults/fault.ts';
import type { ObjectStoreAccess } from '../targets/target.ts';
import type { FaultStory } from './fault-story.ts';
import { type PassOutcome, type PassRange, runPass } from './replay.ts';
import { type Extent, type Stretch, wholePartitions } from './replay-passes.ts';
import type { RunContext } from './run-context.ts';

/** How long the cluster is asked for a stretch before its refusal counts, ms; twice. */
const LOOK_MS = 5000;

/** A stretch whose objects were deleted. */
export interface Hole extends Stretch {
  readonly keys: readonly string[];
}

const joined = (
  holes: readonly Hole[],
  { partition, baseOffset, endOffset, key }: DestroyedObject,
): readonly Hole[] => {
  const last = holes.at(-1);
  if (last?.partition !== partition || last.end < baseOffset) {
    return [...holes, { partition, from: baseOffset, end: endOffset, keys: [key] }];
  }
  const widened = { ...last, end: Math.max(last.end, endOffset), keys: [...last.keys, key] };
  return [...holes.slice(0, -1), widened];
};

/** What confirmed faults destroyed of the topic that is read, sorted; neighbours are one hole. */
export const holesOf = (
  stories: readonly Pick<FaultStory, 'outcome'>[],
  offsets: Extent['offsets'],
): readonly Hole[] => {
  const topicIds = new Map(offsets.map(({ partition, topicId }) => [partition, topicId]));
  return stories
    .flatMap(({ outcome }) => (outcome?.confirmed === true ? (outcome.destroyed ?? []) : []))
    .filter(({ partition, topicId }) => topicIds.get(partition) === topicId)
    .sort((one, other) => one.partition - other.partition || one.baseOffset - other.baseOffset)
    .reduce<readonly Hole[]>(joined, []);
};

type Reading = PassOutcome['ranges'][number];

/** How many of the ranges before it are of the same partition. */
const rankIn = (ranges: readonly PassRange[], index: number): number =>
  ranges.slice(0, index).filter(({ partition }) => partition === ranges[index]?.partition).length;

/**
 * Reads some stretches with our own client, each for so long at most. A read may go on past its end, and the ranges of one pass
 * must not overlap, so a second stretch of a partition is read in a pass of its own.
 */
const look = async (
  { wire, target, interruption }: RunContext,
  { part }: Extent,
  name: string,
  ranges: readonly PassRange[],
  deadlineMs: number,
): Promise<(range: Pick<Hole, 'partition' | 'from'>) => Reading | undefined> => {
  const readings: Reading[] = [];
  for (let rank = 0; ranges.some((_, index) => rankIn(ranges, index) === rank); rank++) {
    const pass = rank === 0 ? name : `${name}-${rank + 1}`;
    const mine = ranges.filter((_, index) => rankIn(ranges, index) === rank);
    const { bootstrap, security } = target;
    const plan = { name: pass, client: wire, bootstrap, security, ranges: mine, deadlineMs };
    const outcome = await runPass(part, plan, interruption.replay);
    part.passes.push({ pass, client: wire.kind, records: outcome.records, ms: outcome.ms });
    readings.push(...outcome.ranges);
  }
  return ({ partition, from }) => readings.find((range) => range.partition === partition && range.from === from);
};

const stretch = (partition: number, from: number, end: number): PassRange => ({
  partition,
  from,
  above: end - 1,
  sentinel: false,
  reachedEnd: 'range',
});

/** What follows a hole, up to the next one or the end of the log. */
const rangeBeyond = (hole: Hole, holes: readonly Hole[], input: Extent): PassRange => {
  const next = holes.find(({ partition, from }) => partition === hole.partition && from >= hole.end);
  const whole = wholePartitions(input).find(({ partition }) => partition === hole.partition);
  return stretch(hole.partition, hole.end, next?.from ?? (whole?.above ?? hole.end) + 1);
};

/** The store answers, and has none of the hole's objects. */
const areGone = async (store: ObjectStoreAccess, { keys }: Hole, signal: AbortSignal): Promise<boolean> => {
  const listed = new Set((await store.list(store.dataPrefix, signal)).map(({ key }) => key));
  const held = await Promise.all(
    keys.map(async (key) => listed.has(key) || (await store.get(key, signal)) !== undefined),
  );
  return !held.includes(true);
};

/** The part of each hole that the cluster refuses for good although all around it is well. */
const refused = async (
  context: RunContext,
  input: Extent,
  store: ObjectStoreAccess,
  holes: readonly Hole[],
  name: string,
): Promise<readonly Hole[]> => {
  const asRange = ({ partition, from, end }: Hole): PassRange => stretch(partition, from, end);
  const first = await look(context, input, `${name}-look`, holes.map(asRange), LOOK_MS);
  const shut = holes.flatMap((hole) => {
    const reading = first(hole);
    // What was still to be had, from the log or a cache, is no hole.
    return reading?.end === 'timeout' && reading.position < hole.end ? [{ ...hole, from: reading.position }] : [];
  });
  const tails = shut.map((hole) => rangeBeyond(hole, holes, input));
  const beyond = await look(context, input, `${name}-beyond`, tails, context.passDeadlineMs);
  const served = shut.filter((hole) => (beyond({ ...hole, from: hole.end })?.position ?? 0) > hole.end);
  const again = await look(context, input, `${name}-again`, served.map(asRange), LOOK_MS);
  const gone: Hole[] = [];
  for (const hole of served) {
    const isShut = again(hole)?.end === 'timeout' && again(hole)?.position === hole.from;
    if (isShut && (await areGone(store, hole, context.interruption.replay))) gone.push(hole);
  }
  return gone;
};

const isStopped = ({ interruption }: RunContext): boolean => interruption.replay.aborted;

/**
 * Looks for what was destroyed, past every cache, and writes down in the pass `name` what proved to be gone; returns that. A look
 * that fails proves nothing.
 */
export const readDestroyed = async (
  context: RunContext,
  input: Extent,
  stories: readonly Pick<FaultStory, 'outcome'>[],
  name: string,
): Promise<readonly Stretch[]> => {
  const { objectStore, cooling } = context.target.can;
  const { part } = input;
  const holes = holesOf(stories, input.offsets);
  if (objectStore === undefined || holes.length === 0 || isStopped(context)) return [];
  try {
    await cooling?.cool(context.interruption.replay);
    const gone = await refused(context, input, objectStore, holes, name);
    // A read that was stopped was not refused.
    if (gone.length === 0 || isStopped(context)) return [];
    const writer = part.openPass(name);
    for (const { partition, from, end } of gone) {
      writer.range({ topic: part.topic, partition, from, position: end, end: 'range' });
    }
    await writer.close();
    part.passes.push({ pass: name, client: context.wire.kind, records: 0, ms: 0 });
    return gone;
  } catch (thrown) {
    const text = `what was destroyed could not be looked for: ${describeError(thrown)}`;
    part.tell({ t: 'note', source: `replay/${name}`, text });
    return [];
  }
};
