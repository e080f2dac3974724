// What the cluster says about itself, asked on the evidence listeners: who leads, under which epoch, who is there at all.
// Every answer is one broker's view; the first broker that answers is believed.
import { EnvironmentError } from '../../errors.ts';
import type { Address } from '../../targets/target.ts';
import type { ConnectionSecurity } from '../../wire/connection-security.ts';
import type { ResponseBody } from '../../wire/protocol.ts';
import { firstAnswer } from './first-answer.ts';
import { KafkaCanaryConnection } from './kafka-connection.ts';
import { addressText } from './probe.ts';

const METADATA_VERSION = 12;
const DEADLINE_MS = 2000;

export interface PartitionView {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  /** −1 while nobody leads. */
  readonly leader: number;
  readonly epoch: number;
  readonly replicas: readonly number[];
  readonly inSync: readonly number[];
}

export interface ClusterView {
  /** Absent where the cluster tells none. */
  readonly clusterId?: string;
  readonly brokers: readonly number[];
  readonly partitions: readonly PartitionView[];
  /** The broker that answered. */
  readonly from: Address;
}

const viewOf = (body: ResponseBody<'Metadata'>, from: Address): ClusterView => ({
  ...(body.clusterId !== null && { clusterId: body.clusterId }),
  from,
  brokers: body.brokers.map((broker) => broker.nodeId),
  partitions: body.topics.flatMap((topic) =>
    topic.partitions.map((partition) => ({
      topic: topic.name ?? '',
      topicId: topic.topicId,
      partition: partition.partitionIndex,
      leader: partition.leaderId,
      epoch: partition.leaderEpoch,
      replicas: partition.replicaNodes,
      inSync: partition.isrNodes,
    })),
  ),
});

/** One broker's view of all topics. */
const askMetadata = async (
  address: Address,
  signal: AbortSignal,
  security: ConnectionSecurity | undefined,
): Promise<ClusterView> => {
  const connection = await KafkaCanaryConnection.open(address, DEADLINE_MS, signal, security);
  try {
    return await askMetadataOn(connection, address, signal);
  } finally {
    connection.close();
  }
};

/** What the broker at the other end of a connection, opened to `address`, knows of the cluster. */
export const askMetadataOn = async (
  connection: KafkaCanaryConnection,
  address: Address,
  signal: AbortSignal,
): Promise<ClusterView> => {
  const everything = { topics: null, allowAutoTopicCreation: false };
  return viewOf(await connection.ask('Metadata', METADATA_VERSION, everything, DEADLINE_MS, signal), address);
};

/** The first view that comes. */
export const askAnyMetadata = async (
  addresses: readonly Address[],
  signal: AbortSignal,
  security: ConnectionSecurity | undefined,
): Promise<ClusterView> => {
  const ask = async (address: Address, own: AbortSignal) => await askMetadata(address, own, security);
  try {
    return await firstAnswer(addresses, ask, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new EnvironmentError(
      'CLUSTER_SILENT',
      `No broker answers a metadata request (asked ${addresses.map(addressText).join(', ')}).`,
      { cause, hint: 'See whether the cluster is up.' },
    );
  }
};
