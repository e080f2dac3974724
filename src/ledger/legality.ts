// What a contract permits (history.md 14). Each ruling names its clause in words; a ruling in doubt is legal, and says why the
// run then proves nothing.

import type { FaultLine } from './history-lines.ts';
import type { PartitionView, SnapshotView } from './partition-view.ts';
import { isBefore, type Moment, type Placed } from './run-facts.ts';
import type { SuspectRecord } from './sightings.ts';
import { isRefuted } from './truncation.ts';

export interface Ruling {
  readonly legal: boolean;
  /** The clause, in words. */
  readonly rule: string;
  /** Why it could not be decided; makes the verdict inconclusive. */
  readonly doubt?: string;
}

/** What rule 14 asks of an acknowledgement: when it came, for which offset, by which leader epoch. */
export interface Promised {
  readonly at: Moment;
  readonly offset: number | undefined;
  readonly epoch: number | undefined;
}

export const legal = (rule: string): Ruling => ({ legal: true, rule });
export const illegal = (rule: string): Ruling => ({ legal: false, rule });

export const NEVER = illegal('legal under no contract');

/** What the ack of a record promised. */
export const promisedBy = (record: SuspectRecord): Promised => ({
  at: record.sent.run.settled ?? record.sent.run.sent,
  offset: record.offset,
  epoch: record.sent.run.epoch,
});

/** A snapshot promises that the offset below its `latest` stays. */
export const promisedBySnapshot = (snapshot: SnapshotView): Promised => ({
  at: snapshot,
  offset: snapshot.latest - 1,
  epoch: snapshot.epoch,
});

const NODE_LOSS = 'node-loss';

interface NodeLoss {
  /** Undefined where no edge names any; an empty list names nobody. */
  readonly victims: ReadonlySet<number> | undefined;
  readonly first: Moment;
  readonly confirmed: readonly Moment[];
}

const nodeLosses = (faults: readonly Placed<FaultLine>[]): NodeLoss[] => {
  const byId = new Map<string, Placed<FaultLine>[]>();
  for (const line of faults) {
    if (line.fault !== NODE_LOSS) continue;
    const edges = byId.get(line.id) ?? [];
    edges.push(line);
    byId.set(line.id, edges);
  }
  return [...byId.values()].map((edges) => ({
    victims: edges.some(({ victims }) => victims !== undefined)
      ? new Set(edges.flatMap(({ victims }) => victims ?? []))
      : undefined,
    first: edges[0] as Moment,
    confirmed: edges.filter(({ edge }) => edge === 'confirmed'),
  }));
};

/** Who led the partition at some time between two moments; empty where nobody recorded it. */
const leadersBetween = (view: PartitionView, from: Moment, to: Moment): ReadonlySet<number> => {
  const leaders = new Set<number>();
  let before = -1;
  for (const line of view.leaders) {
    if (isBefore(line, from)) before = line.leader;
    else if (isBefore(line, to) && line.leader >= 0) leaders.add(line.leader);
  }
  if (before >= 0) leaders.add(before);
  return leaders;
};

/** Clause d for one node-loss fault: undefined = it does not excuse. */
const ruleOnNodeLoss = (view: PartitionView, loss: NodeLoss, promise: Promised, needed: number): Ruling | undefined => {
  const confirmed = loss.confirmed.filter((edge) => isBefore(promise.at, edge));
  if (confirmed.length === 0) return undefined;
  const unknown = (what: string): Ruling => ({
    legal: true,
    rule: `node-loss after the ack, ${what} not known`,
    doubt: `${view.name}: a node-loss may explain a loss, but its ${what} not recorded`,
  });
  const { victims } = loss;
  if (victims === undefined) return unknown('victims are');
  if (victims.size < needed) return undefined;
  const leaders = confirmed.flatMap((edge) => [...leadersBetween(view, loss.first, edge)]);
  if (leaders.length === 0) return unknown('partition’s leader is');
  return leaders.some((leader) => victims.has(leader))
    ? legal(`node-loss of ${victims.size} nodes, the leader among them, after the ack`)
    : undefined;
};

const ruleOnNodeLosses = (view: PartitionView, promise: Promised): Ruling | undefined => {
  const { contract, topic } = view;
  if (contract.survives.includes('node-loss')) return undefined;
  const needed = contract.acks === 'all' && topic.replicationFactor !== 1 ? contract.minInSyncReplicas : 1;
  const rulings = nodeLosses(view.faults).flatMap((loss) => ruleOnNodeLoss(view, loss, promise, needed) ?? []);
  return rulings.find(({ doubt }) => doubt === undefined) ?? rulings[0];
};

/** Clause g: is a leader change there that can have cut the log below this promise? */
const isExplained = (view: PartitionView, promise: Promised): boolean => {
  if (promise.epoch !== undefined) return view.highestEpoch !== undefined && view.highestEpoch > promise.epoch;
  const earliest = promise.at.at - view.contract.deliveryTimeoutMs;
  return view.leaders.some((line) => line.isNew && (isBefore(promise.at, line) || line.at >= earliest));
};

const ruleOnTruncation = (view: PartitionView, promise: Promised): Ruling => {
  const refuted = isRefuted(view, promise.offset, promise.epoch);
  if (refuted !== undefined) return illegal(refuted);
  if (isExplained(view, promise)) return legal('a new leader may have cut the log after the ack');
  if (view.leaders.length > 0) return illegal('no new leader explains it');
  return {
    legal: true,
    rule: 'leadership was not recorded',
    doubt: `${view.name}: a leader change may explain a loss, but leadership was not recorded`,
  };
};

/** Rule 14, a and c to g: is it legal that what this promised is gone? */
export const ruleOnLoss = (view: PartitionView, promise: Promised): Ruling => {
  const { contract, topic } = view;
  if (contract.acks === 0) return legal('acks=0 promises nothing');
  if (contract.boundary === 'wal' || contract.boundary === 'object') {
    return illegal(`the boundary is ${contract.boundary}: an ack outlives every broker`);
  }
  const nodeLoss = ruleOnNodeLosses(view, promise);
  if (nodeLoss !== undefined) return nodeLoss;
  if (topic.replicationFactor === 1) return illegal('one replica: only the loss of its node excuses');
  if (contract.acks === 'all' && contract.minInSyncReplicas >= 2 && !topic.uncleanElection) {
    return illegal('acks=all, unclean off, minISR ≥ 2');
  }
  return ruleOnTruncation(view, promise);
};

/** `log-reset`: clause b first. */
export const ruleOnReset = (view: PartitionView, record: SuspectRecord): Ruling =>
  view.topicIdChanged ? illegal('another topic id is another log') : ruleOnLoss(view, promisedBy(record));

/** `lost-write`: a compacted topic may lose what a later record of the key replaced. */
export const ruleOnLostWrite = (view: PartitionView, record: SuspectRecord): Ruling =>
  view.topic.compacted && !view.contract.uniqueKeys
    ? legal('the topic is compacted')
    : ruleOnLoss(view, promisedBy(record));

/** No snapshot shows a log start above the record: only where a pass began does. */
const onlyPassesBeganAbove = (view: PartitionView, offset: number | undefined): boolean =>
  view.snapshots.every(({ earliest }) => (offset === undefined ? view.logStart > earliest : earliest <= offset));

/** `lost-prefix`: does anything declare that the log start may move past the record? */
export const ruleOnLostPrefix = (view: PartitionView, record: SuspectRecord): Ruling => {
  const { topic, contract } = view;
  if (topic.hasRetentionBytes) return legal('the topic has retention.bytes');
  if (contract.deleteRecords) return legal('the contract has deleteRecords');
  if (topic.compacted && !contract.uniqueKeys) return legal('the topic is compacted');
  if (topic.retentionMs === undefined) return illegal('nothing declares that the log start may move');
  const end = view.snapshots.at(-1)?.at ?? view.lastAt;
  if (end - record.sent.run.sent.at >= topic.retentionMs) return legal('older than retention.ms');
  return onlyPassesBeganAbove(view, record.offset)
    ? legal('retention.ms, and when the log start moved is not known')
    : illegal('younger than retention.ms');
};
