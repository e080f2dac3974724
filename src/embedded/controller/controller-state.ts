// What the controller knows, and the changes it can make to it. Everything here is pure: a change takes a state and returns
// another (or the same one when there is nothing to do); storing it is `state-store.ts`'s affair.
import {
  type BrokerView,
  type ClusterView,
  type Endpoint,
  NO_LEADER,
  OFFSETS_PARTITIONS,
  OFFSETS_TOPIC,
  type PartitionView,
  type TopicView,
} from '../cluster-view.ts';
import { type Load, leastLoaded, loadOf } from './spread.ts';

/** The cluster view plus what brokers need not know. This is the document in the meta store. */
export interface ControllerState extends ClusterView {
  /** The first producer id nobody was given. */
  readonly nextProducerId: number;
}

export interface Registration {
  readonly brokerId: number;
  readonly incarnation: string;
  readonly advertised: Endpoint;
  readonly direct: Endpoint;
}

export interface TopicRequest {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
}

const UNOWNED: PartitionView = { leader: NO_LEADER, epoch: 0 };

/** A cluster in which nothing has happened yet. `offsetsTopicId` names the topic of committed offsets. */
export const emptyState = (clusterId: string, controllerId: number, offsetsTopicId: string): ControllerState => ({
  version: 0,
  clusterId,
  controllerId,
  brokers: [],
  topics: [
    {
      name: OFFSETS_TOPIC,
      topicId: offsetsTopicId,
      internal: true,
      replicationFactor: 3,
      configs: {},
      partitions: Array.from({ length: OFFSETS_PARTITIONS }, () => UNOWNED),
    },
  ],
  nextProducerId: 1000,
});

const changed = (state: ControllerState, change: Partial<ControllerState>): ControllerState => ({
  ...state,
  ...change,
  version: state.version + 1,
});

/** `list` itself when `change` leaves every element as it is. */
const mapOrSame = <T>(list: readonly T[], change: (element: T, index: number) => T): readonly T[] => {
  const mapped = list.map(change);
  return mapped.every((element, index) => element === list[index]) ? list : mapped;
};

const mapPartitions = (
  topics: readonly TopicView[],
  change: (partition: PartitionView, topic: TopicView) => PartitionView,
): readonly TopicView[] =>
  mapOrSame(topics, (topic) => {
    const partitions = mapOrSame(topic.partitions, (partition) => change(partition, topic));
    return partitions === topic.partitions ? topic : { ...topic, partitions };
  });

const releaseLedBy = (topics: readonly TopicView[], ids: ReadonlySet<number>): readonly TopicView[] =>
  mapPartitions(topics, (partition) =>
    ids.has(partition.leader) ? { leader: NO_LEADER, epoch: partition.epoch } : partition,
  );

const liveIds = (brokers: readonly BrokerView[]): readonly number[] =>
  brokers.filter((broker) => broker.live).map((broker) => broker.id);

/** Whether some partition has no owner. */
export const hasUnowned = (state: ControllerState): boolean =>
  state.topics.some((topic) => topic.partitions.some((partition) => partition.leader === NO_LEADER));

const own = (partition: PartitionView, topic: TopicView, load: Load): PartitionView => {
  if (partition.leader !== NO_LEADER) return partition;
  const leader = leastLoaded(load, topic.name);
  return leader === undefined ? partition : { leader, epoch: partition.epoch + 1 };
};

/** Gives every partition without an owner to a live broker, evenly by topic and in total; its epoch grows by one. */
export const assignUnowned = (state: ControllerState): ControllerState => {
  const load = loadOf(state.topics, liveIds(state.brokers));
  const topics = mapPartitions(state.topics, (partition, topic) => own(partition, topic, load));
  return topics === state.topics ? state : changed(state, { topics });
};

/** A broker came, or came back. What an earlier incarnation or a lapsed session of it led has no owner until assigned. */
export const registerBroker = (state: ControllerState, registration: Registration): ControllerState => {
  const { brokerId, incarnation, advertised, direct } = registration;
  const known = state.brokers.find((broker) => broker.id === brokerId);
  if (known?.live === true && known.incarnation === incarnation) return state;
  const entry: BrokerView = { id: brokerId, incarnation, live: true, advertised, direct };
  const others = state.brokers.filter((broker) => broker.id !== brokerId);
  const brokers = [...others, entry].sort((one, other) => one.id - other.id);
  return changed(state, { brokers, topics: releaseLedBy(state.topics, new Set([brokerId])) });
};

/** Brokers that are gone, by lapse of their session or by their own word. Their partitions have no owner until assigned. */
export const retireBrokers = (state: ControllerState, ids: ReadonlySet<number>): ControllerState => {
  if (!state.brokers.some((broker) => broker.live && ids.has(broker.id))) return state;
  const brokers = state.brokers.map((broker) => (ids.has(broker.id) ? { ...broker, live: false } : broker));
  return changed(state, { brokers, topics: releaseLedBy(state.topics, ids) });
};

/** A topic whose partitions have no owner yet; the caller has checked the name, the counts and the configs. */
export const addTopic = (state: ControllerState, request: TopicRequest): ControllerState => {
  const { name, topicId, partitions, replicationFactor, configs } = request;
  const owners = Array.from({ length: partitions }, () => UNOWNED);
  const topic: TopicView = { name, topicId, internal: false, replicationFactor, configs, partitions: owners };
  return changed(state, { topics: [...state.topics, topic] });
};

export const removeTopic = (state: ControllerState, name: string): ControllerState =>
  changed(state, { topics: state.topics.filter((topic) => topic.name !== name) });

/** An owner that found a higher epoch in the store than it was assigned asks for one that can be claimed. */
export const raiseEpoch = (state: ControllerState, topicId: string, index: number, above: number): ControllerState => {
  const topics = mapOrSame(state.topics, (topic) => {
    const partition = topic.partitions[index];
    if (topic.topicId !== topicId || partition === undefined || partition.epoch > above) return topic;
    return { ...topic, partitions: topic.partitions.with(index, { ...partition, epoch: above + 1 }) };
  });
  return topics === state.topics ? state : changed(state, { topics });
};

/** Reserves `count` producer ids; the block begins at the old state's `nextProducerId`. */
export const reserveProducerIds = (state: ControllerState, count: number): ControllerState =>
  changed(state, { nextProducerId: state.nextProducerId + count });
