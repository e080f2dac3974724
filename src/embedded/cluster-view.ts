// What the controller decides and every broker knows: the brokers, the topics, and who owns each partition in which epoch.
// Views are whole and versioned; a broker keeps the newest it was given, and serves by it while the controller is away.
import { InternalError } from '../errors.ts';

/** An address a process listens on or dials. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The topic that keeps the committed offsets of consumer groups. */
export const OFFSETS_TOPIC = '__consumer_offsets';
export const OFFSETS_PARTITIONS = 3;

/** Leader of a partition that nobody owns. */
export const NO_LEADER = -1;

export interface BrokerView {
  readonly id: number;
  /** New with every start of the process. */
  readonly incarnation: string;
  readonly live: boolean;
  /** What clients are told; the link proxy where there is one. */
  readonly advertised: Endpoint;
  /** The unadvertised listener, for evidence. */
  readonly direct: Endpoint;
}

export interface PartitionView {
  /** A broker id, or NO_LEADER. */
  readonly leader: number;
  /** Grows by one with every change of owner; 0 until there was one. */
  readonly epoch: number;
}

export interface TopicView {
  readonly name: string;
  /** 22 characters of base64url, as Kafka prints it. */
  readonly topicId: string;
  readonly internal: boolean;
  /** Nominal: the storage is shared, so every live broker can own every partition. */
  readonly replicationFactor: number;
  /** What was given when the topic was created; everything else is at its default. */
  readonly configs: Readonly<Record<string, string>>;
  readonly partitions: readonly PartitionView[];
}

export interface ClusterView {
  /** Grows with every change. */
  readonly version: number;
  readonly clusterId: string;
  readonly controllerId: number;
  readonly brokers: readonly BrokerView[];
  readonly topics: readonly TopicView[];
}

/** The brokers said to hold a copy: `replicationFactor` of them in a ring, the leader first. */
export const replicasOf = (view: ClusterView, topic: TopicView, partition: number): readonly number[] => {
  const ids = view.brokers.map((broker) => broker.id);
  if (ids.length === 0) return [];
  const leader = topic.partitions[partition]?.leader ?? NO_LEADER;
  const start = leader === NO_LEADER ? partition % ids.length : Math.max(0, ids.indexOf(leader));
  const count = Math.min(topic.replicationFactor, ids.length);
  return Array.from({ length: count }, (_, step) => ids[(start + step) % ids.length] as number);
};

/** Those of `replicas` that are live. */
export const inSyncOf = (view: ClusterView, replicas: readonly number[]): readonly number[] => {
  const live = new Set(view.brokers.filter((broker) => broker.live).map((broker) => broker.id));
  return replicas.filter((id) => live.has(id));
};

/** `view` as it came over the wire between our own programs; a shape that is not a view is our own bug. */
export const asClusterView = (value: unknown): ClusterView => {
  const view = value as Partial<ClusterView> | null;
  if (typeof view?.version !== 'number' || !Array.isArray(view.brokers) || !Array.isArray(view.topics)) {
    throw new InternalError('EMBEDDED_BAD_VIEW', 'The controller answered with something that is not a cluster view.');
  }
  return view as ClusterView;
};
