// What Metadata says about a cluster, as plain data with branded broker ids; the evidence for who leads what, and since when.
import type { BrokerId } from '../vocabulary.ts';
import { errorCodeName, NONE } from './error-codes.ts';
import { type ResponseBody, WireError } from './protocol.ts';

export interface BrokerAddress {
  readonly id: BrokerId;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

export interface PartitionMetadata {
  readonly partition: number;
  /** 0, or why the broker cannot say more: 5 while there is no leader. */
  readonly errorCode: number;
  /** Undefined while there is no leader. */
  readonly leader: BrokerId | undefined;
  /** −1 where the broker or the version tells none. */
  readonly leaderEpoch: number;
  readonly replicas: readonly BrokerId[];
  readonly inSync: readonly BrokerId[];
  readonly offline: readonly BrokerId[];
}

export interface TopicMetadata {
  readonly name: string;
  readonly errorCode: number;
  /** 22 characters of base64url; `ZERO_UUID` where the broker tells none. */
  readonly topicId: string;
  /** Sorted by partition. */
  readonly partitions: readonly PartitionMetadata[];
}

export interface ClusterMetadata {
  readonly clusterId: string | null;
  /** Undefined where none is known; with KRaft this is any broker, not the quorum's leader. */
  readonly controller: BrokerId | undefined;
  readonly brokers: readonly BrokerAddress[];
  readonly topics: readonly TopicMetadata[];
}

const brokerOf = (id: number): BrokerId | undefined => (id < 0 ? undefined : (id as BrokerId));
const brokersOf = (ids: readonly number[]): readonly BrokerId[] => ids as readonly BrokerId[];

type Answer = ResponseBody<'Metadata'>;

const topicOf = (topic: Answer['topics'][number]): TopicMetadata => ({
  name: topic.name ?? '',
  errorCode: topic.errorCode,
  topicId: topic.topicId,
  partitions: topic.partitions
    .map((partition) => ({
      partition: partition.partitionIndex,
      errorCode: partition.errorCode,
      leader: brokerOf(partition.leaderId),
      leaderEpoch: partition.leaderEpoch,
      replicas: brokersOf(partition.replicaNodes),
      inSync: brokersOf(partition.isrNodes),
      offline: brokersOf(partition.offlineReplicas),
    }))
    .sort((one, other) => one.partition - other.partition),
});

export const toClusterMetadata = (answer: Answer): ClusterMetadata => ({
  clusterId: answer.clusterId,
  controller: brokerOf(answer.controllerId),
  brokers: answer.brokers.map(({ nodeId, host, port, rack }) => ({ id: nodeId as BrokerId, host, port, rack })),
  topics: answer.topics.map(topicOf),
});

/** The named partition's row, or a `WireError` with Kafka's code for why there is none. */
export const findPartition = (metadata: ClusterMetadata, topic: string, partition: number): PartitionMetadata => {
  const found = metadata.topics.find(({ name }) => name === topic);
  const row = found?.partitions.find((candidate) => candidate.partition === partition);
  if (row !== undefined) return row;
  const code = found?.errorCode ?? NONE;
  throw new WireError(
    'WIRE_REFUSED',
    `The metadata has no partition ${topic}/${partition}: ${code === NONE ? 'not listed' : errorCodeName(code)}.`,
    { kafkaCode: code === NONE ? 3 : code, sent: false },
  );
};
