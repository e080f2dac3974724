// From a topic name and a partition number to the log that serves it, or to the answer Kafka gives when there is none here.
import { type ClusterView, NO_LEADER, type TopicView } from '../cluster-view.ts';
import { KAFKA } from '../error-codes.ts';
import type { PartitionLog } from '../log/interfaces.ts';
import type { BrokerServices } from './broker-services.ts';
import type { OwnedPartition } from './owned-partitions.ts';
import { within } from './within.ts';

/** Who leads, as far as the controller has told us; both −1 when nobody does. */
export interface LeaderHint {
  readonly leaderId: number;
  readonly leaderEpoch: number;
}

export const NO_HINT: LeaderHint = { leaderId: -1, leaderEpoch: -1 };

export interface NotHere {
  readonly status: 'not-here';
  readonly code: number;
  readonly hint: LeaderHint;
}

export type Located = { readonly status: 'assigned'; readonly entry: OwnedPartition } | NotHere;

const indexes = new WeakMap<ClusterView, ReadonlyMap<string, TopicView>>();

/** The topic of a name in `view`. */
export const topicNamed = (view: ClusterView, name: string): TopicView | undefined => {
  let index = indexes.get(view);
  if (index === undefined) {
    index = new Map(view.topics.map((topic) => [topic.name, topic]));
    indexes.set(view, index);
  }
  return index.get(name);
};

const notLeader = (topic: TopicView, partition: number): NotHere => {
  const owner = topic.partitions[partition];
  const isKnown = owner !== undefined && owner.leader !== NO_LEADER;
  const hint = isKnown ? { leaderId: owner.leader, leaderEpoch: owner.epoch } : NO_HINT;
  return { status: 'not-here', code: KAFKA.NOT_LEADER_OR_FOLLOWER, hint };
};

/** Compares the epoch a client believes in with ours; −1 believes nothing. */
export const epochMismatch = (believed: number, epoch: number): number => {
  if (believed < 0 || believed === epoch) return KAFKA.NONE;
  return believed < epoch ? KAFKA.FENCED_LEADER_EPOCH : KAFKA.UNKNOWN_LEADER_EPOCH;
};

/** The assignment of a partition to this broker, recovered or still recovering. */
export const locate = (services: BrokerServices, topicName: string, partition: number): Located => {
  const topic = topicNamed(services.view(), topicName);
  if (topic?.partitions[partition] === undefined) {
    return { status: 'not-here', code: KAFKA.UNKNOWN_TOPIC_OR_PARTITION, hint: NO_HINT };
  }
  const entry = services.partitions.find(topic.topicId, partition);
  return entry === undefined ? notLeader(topic, partition) : { status: 'assigned', entry };
};

/** The log that serves a partition, waiting at most `waitMs` for its recovery. */
export const locateLog = async (
  services: BrokerServices,
  topicName: string,
  partition: number,
  waitMs: number,
): Promise<{ readonly status: 'here'; readonly log: PartitionLog } | NotHere> => {
  const located = locate(services, topicName, partition);
  if (located.status === 'not-here') return located;
  const { entry } = located;
  const log = entry.log ?? (await within(entry.ready, waitMs));
  return log?.isOwner === true ? { status: 'here', log } : notLeader(entry.topic, partition);
};

/**
 * The log of a partition whose ownership was asked of the fence just now, so that a former owner that does not know yet
 * answers nothing. `believedEpoch` is the client's, −1 for none. Waits at most `waitMs` for recovery and for the fence each.
 */
export const locateOwner = async (
  services: BrokerServices,
  topicName: string,
  partition: number,
  believedEpoch: number,
  waitMs: number,
): Promise<{ readonly status: 'here'; readonly log: PartitionLog } | NotHere> => {
  const located = await locateLog(services, topicName, partition, waitMs);
  if (located.status === 'not-here') return located;
  const refuse = (code: number): NotHere => ({ status: 'not-here', code, hint: NO_HINT });
  const mismatch = epochMismatch(believedEpoch, located.log.leaderEpoch);
  if (mismatch !== KAFKA.NONE) return refuse(mismatch);
  const confirmed = await within(located.log.confirmOwnership(), waitMs);
  if (confirmed === 'owner') return located;
  return refuse(confirmed === 'not-owner' ? KAFKA.NOT_LEADER_OR_FOLLOWER : KAFKA.REQUEST_TIMED_OUT);
};
