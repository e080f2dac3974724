// One partition as the checkers see it: the recorded facts, and what history.md derives from them once for all rules (stale
// snapshots, credible passes, the log start, new leaders, floors). Derived, never judged.
import type { Contract, FaultLine, OffsetsLine, TopicDescription } from './history-lines.ts';
import {
  byMoment,
  isBefore,
  type Moment,
  type PartitionLog,
  type PassLog,
  type PassRange,
  type Placed,
  type ReadRun,
  type RunFacts,
  type SentRun,
  type Stray,
} from './run-facts.ts';
import type { LaneView, SentView, SharedOffsets, Unsent } from './sent-view.ts';

/** What a topic's configuration makes legal. */
export interface TopicRules {
  readonly name: string;
  readonly exclusive: boolean;
  readonly compacted: boolean;
  readonly uncleanElection: boolean;
  /** Absent = more than one. */
  readonly replicationFactor?: number;
  readonly retentionMs?: number;
  readonly hasRetentionBytes: boolean;
}

export interface RangeView extends PassRange {
  /** It says complete, and nothing contradicts it (rule 2). */
  readonly credible: boolean;
}

export interface PassView {
  readonly index: number;
  readonly name: number | string;
  readonly reads: readonly ReadRun[];
  readonly ranges: readonly RangeView[];
  /** The reads in stretches of rising offsets; one, unless the pass went back. */
  readonly sweeps: readonly (readonly ReadRun[])[];
}

export type SnapshotView = Placed<OffsetsLine> & {
  /** It carries a lower epoch than an earlier one: an old leader's answer. */
  readonly stale: boolean;
};

export interface LeaderView extends Moment {
  /** −1 = none. */
  readonly leader: number;
  /** Differs from the last known one of the partition. */
  readonly isNew: boolean;
}

export interface PlaceView {
  readonly logStart: number;
  /** By the pass's index in the run. */
  readonly ranges: ReadonlyMap<number, readonly RangeView[]>;
}

export interface PartitionView {
  readonly topic: TopicRules;
  readonly partition: number;
  /** `orders/2` */
  readonly name: string;
  readonly contract: Contract;
  readonly lanes: readonly LaneView[];
  readonly passes: readonly PassView[];
  /** This partition, and each in which records that were sent here were read. */
  readonly places: ReadonlyMap<number, PlaceView>;
  readonly leaders: readonly LeaderView[];
  readonly snapshots: readonly SnapshotView[];
  readonly sentinels: readonly Placed<{ readonly offset: number }>[];
  readonly faults: readonly Placed<FaultLine>[];
  readonly baseline: SnapshotView | undefined;
  /** Where the log begins at the end of the run; −∞ where nothing says. */
  readonly logStart: number;
  /** The highest leader epoch that any line of the partition names. */
  readonly highestEpoch: number | undefined;
  readonly topicIdChanged: boolean;
  /** Whether any partition of the topic has a snapshot. */
  readonly topicHasSnapshots: boolean;
  /** `at` of the last line of the run. */
  readonly lastAt: number;
  /** Reads in other partitions of records that say they were sent to this one. */
  readonly strays: readonly Stray[];
  /** Records of the run that were read but never sent here; filled by `gatherSightings`. */
  readonly unsent: Unsent[];
  /** Offsets at which two records were acknowledged; filled by `gatherSightings`. */
  readonly shared: SharedOffsets[];
}

const numberIn = (config: TopicDescription['config'], key: string): number | undefined => {
  const value = config?.[key];
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
};

/** A configuration value is a text or any JSON value; `compact,delete` and `["compact"]` both name compact. */
const isNamed = (config: TopicDescription['config'], key: string, name: string): boolean =>
  JSON.stringify([config?.[key]]).includes(name);

export const topicRules = (topic: TopicDescription, contract: Contract): TopicRules => {
  const { config } = topic;
  const retentionMs = numberIn(config, 'retention.ms');
  return {
    name: topic.topic,
    exclusive: topic.exclusive ?? true,
    compacted: isNamed(config, 'cleanup.policy', 'compact'),
    uncleanElection: contract.uncleanLeaderElection || isNamed(config, 'unclean.leader.election.enable', 'true'),
    ...(topic.replicationFactor === undefined ? {} : { replicationFactor: topic.replicationFactor }),
    ...(retentionMs === undefined || retentionMs < 0 ? {} : { retentionMs }),
    hasRetentionBytes: (numberIn(config, 'retention.bytes') ?? -1) > 0,
  };
};

const higher = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.max(one, other);

const viewSnapshots = (log: PartitionLog): SnapshotView[] => {
  let epoch: number | undefined;
  return log.snapshots.map((snapshot) => {
    const stale = epoch !== undefined && snapshot.epoch !== undefined && snapshot.epoch < epoch;
    epoch = higher(epoch, snapshot.epoch);
    return { ...snapshot, stale };
  });
};

const viewLeaders = (log: PartitionLog): LeaderView[] => {
  let known = -1;
  return log.leaders.map(({ at, order, leader }) => {
    const isNew = leader >= 0 && known >= 0 && leader !== known;
    if (leader >= 0) known = leader;
    return { at, order, leader, isNew };
  });
};

const sweepsOf = (reads: readonly ReadRun[]): ReadRun[][] => {
  const sweeps: ReadRun[][] = [];
  let next = Number.NEGATIVE_INFINITY;
  for (const read of reads) {
    if (sweeps.length === 0 || read.offset < next) sweeps.push([]);
    sweeps.at(-1)?.push(read);
    next = read.offset + read.count;
  }
  return sweeps;
};

/** A complete pass is believed only past the sentinel and up to the last latest that was asked before the replay. */
const lowestCrediblePosition = (log: PartitionLog): number => {
  const sentinel = log.sentinels.reduce(
    (highest, { offset }) => Math.max(highest, offset + 1),
    Number.NEGATIVE_INFINITY,
  );
  const last = log.snapshots.findLast(({ when }) => when !== 'after-replay');
  return Math.max(sentinel, last?.latest ?? Number.NEGATIVE_INFINITY);
};

const viewRanges = (pass: PassLog, crediblePosition: number): RangeView[] =>
  pass.ranges.map((range) => ({ ...range, credible: range.end === 'complete' && range.position >= crediblePosition }));

const logStartOf = (log: PartitionLog): number => {
  const afterReplay = log.snapshots.findLast(({ when }) => when === 'after-replay');
  if (afterReplay !== undefined) return afterReplay.earliest;
  const froms = log.passes.flatMap(({ ranges }) => ranges.map(({ from }) => from));
  const lowest = froms.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const snapshot = log.snapshots.at(-1)?.earliest ?? Number.NEGATIVE_INFINITY;
  return Math.max(snapshot, lowest === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : lowest);
};

const highestEpochOf = (log: PartitionLog): number | undefined => {
  let highest: number | undefined;
  for (const { epoch } of log.leaders) highest = higher(highest, epoch === -1 ? undefined : epoch);
  for (const { epoch } of log.snapshots) highest = higher(highest, epoch);
  for (const { reads } of log.passes) for (const { epoch } of reads) highest = higher(highest, epoch);
  for (const { runs } of log.lanes) for (const { epoch } of runs) highest = higher(highest, epoch);
  return highest;
};

/** For each batch the acknowledgement that set the highest trusted offset before it was sent. */
const setFloors = (lanes: readonly LaneView[]): void => {
  const sent = lanes.flatMap((lane) => lane.sent);
  const acks = sent.filter(({ run }) => run.offset !== undefined && run.settled !== undefined);
  const acked = acks.map(({ run }) => ({ run, moment: run.settled as Moment }));
  sent.sort((one, other) => byMoment(one.run.sent, other.run.sent));
  acked.sort((one, other) => byMoment(one.moment, other.moment));
  let next = 0;
  let floor: { run: SentRun; offset: number } | undefined;
  for (const view of sent) {
    for (let ack = acked[next]; ack !== undefined && isBefore(ack.moment, view.run.sent); ack = acked[++next]) {
      const offset = (ack.run.offset as number) + ack.run.count - 1;
      if (floor === undefined || offset > floor.offset) floor = { run: ack.run, offset };
    }
    if (floor !== undefined) view.floor = floor;
  }
};

/** What the rules ask of a partition in which records of another one were read. */
const viewPlace = (log: PartitionLog): PlaceView => {
  const crediblePosition = lowestCrediblePosition(log);
  return {
    logStart: logStartOf(log),
    ranges: new Map(log.passes.map((pass) => [pass.index, viewRanges(pass, crediblePosition)])),
  };
};

/** The view of one partition; `strays`: reads elsewhere of records that say they were sent to it. */
export const viewPartition = (
  facts: RunFacts,
  log: PartitionLog,
  topic: TopicRules,
  strays: readonly Stray[],
): PartitionView => {
  const lanes = log.lanes.map(({ producer, incarnation, runs }) => ({
    producer,
    incarnation,
    sent: runs.map((run): SentView => ({ run, shownBy: 0, isSuspect: false, pieces: [] })),
  }));
  setFloors(lanes);
  const snapshots = viewSnapshots(log);
  const elsewhere = [...new Set(strays.map(({ partition }) => partition))];
  const logs = [log, ...elsewhere.map((partition) => facts.outline(log.topic, partition))];
  const places = new Map(logs.map((one) => [one.partition, viewPlace(one)]));
  const ranges = places.get(log.partition)?.ranges;
  const topicIds = new Set(snapshots.flatMap(({ topicId }) => (topicId === undefined ? [] : [topicId])));
  return {
    topic,
    partition: log.partition,
    name: `${log.topic}/${log.partition}`,
    contract: facts.header.contract,
    lanes,
    passes: log.passes.map(({ index, name, reads }) => ({
      index,
      name,
      reads,
      ranges: ranges?.get(index) ?? [],
      sweeps: sweepsOf(reads),
    })),
    places,
    leaders: viewLeaders(log),
    snapshots,
    sentinels: log.sentinels,
    faults: facts.faults,
    baseline: snapshots.find(({ when }) => when === 'baseline'),
    logStart: logStartOf(log),
    highestEpoch: highestEpochOf(log),
    topicIdChanged: topicIds.size > 1,
    topicHasSnapshots: facts.topicsWithSnapshots.has(log.topic),
    lastAt: facts.lastAt,
    strays,
    unsent: [],
    shared: [],
  };
};

/** The ranges read past this offset. */
export const covers = (ranges: readonly RangeView[], offset: number): boolean =>
  ranges.some(({ from, position }) => from <= offset && offset < position);

export const isCrediblyComplete = (ranges: readonly RangeView[]): boolean => ranges.some(({ credible }) => credible);

/** The pass should show a record at this offset: it covered it, or began at or below it and reached the log's end. */
export const reaches = (ranges: readonly RangeView[], offset: number): boolean =>
  ranges.some(({ from, position, credible }) => from <= offset && (offset < position || credible));
