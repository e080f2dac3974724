// Which brokers hold a partition, by the cluster's own word. That nobody does is believed of two brokers only: one alone may not have
// heard of a topic yet, or be cut off.

import type { BrokerId } from '../vocabulary.ts';
import type { ClusterClient } from '../wire/cluster-client.ts';
import { toClusterMetadata } from '../wire/cluster-metadata.ts';
import { deadlineAfter, requestOptions } from '../wire/deadline.ts';
import { UNKNOWN_TOPIC_OR_PARTITION } from '../wire/error-codes.ts';
import { type CallOptions, fetchMetadata, refuseCode, type TopicPartition } from '../wire/evidence-calls.ts';
import { WireError } from '../wire/protocol.ts';
import { ongoingReassignments } from '../wire/reassignment.ts';

/** So many must say that a partition is gone, where there are so many. */
const WITNESSES = 2;

export interface HeldReplicas {
  /** Undefined where the partition is gone. */
  readonly replicas: readonly number[] | undefined;
  readonly isMoving: boolean;
}

/** By one broker; undefined where that knows no such partition. */
const replicasBy = async (
  client: ClusterClient,
  broker: BrokerId,
  { topic, partition }: TopicPartition,
  { deadlineMs, signal }: CallOptions,
): Promise<readonly number[] | undefined> => {
  const deadline = deadlineAfter(deadlineMs, signal);
  const connection = await client.brokerConnection(broker, deadline);
  const body = { topics: [{ name: topic }], allowAutoTopicCreation: false };
  const { topics } = toClusterMetadata(await connection.request('Metadata', body, requestOptions(deadline)));
  const { errorCode = UNKNOWN_TOPIC_OR_PARTITION, partitions = [] } = topics.find(({ name }) => name === topic) ?? {};
  if (errorCode !== UNKNOWN_TOPIC_OR_PARTITION) refuseCode(`Metadata of topic ${topic}`, errorCode);
  return partitions.find((each) => each.partition === partition)?.replicas;
};

/** @throws WireError where nobody knows the partition, and fewer than two brokers say that there is none. */
export const lookAtReplicas = async (
  client: ClusterClient,
  { topic, partition }: TopicPartition,
  options: CallOptions,
): Promise<HeldReplicas> => {
  const place = { topic, partition };
  const isMoving = (await ongoingReassignments(client, [place], options)).length > 0;
  const { brokers } = await fetchMetadata(client, [], options);
  const troubles: unknown[] = [];
  let unknownTo = 0;
  for (const { id } of brokers) {
    try {
      const replicas = await replicasBy(client, id, place, options);
      if (replicas !== undefined) return { replicas, isMoving };
      unknownTo++;
    } catch (thrown) {
      options.signal?.throwIfAborted();
      troubles.push(thrown);
    }
    if (unknownTo >= Math.min(WITNESSES, brokers.length)) return { replicas: undefined, isMoving };
  }
  const [trouble] = troubles;
  if (trouble instanceof Error) throw trouble;
  throw new WireError('WIRE_REFUSED', `No two brokers say whether ${topic}/${partition} is there.`, { sent: false });
};

/** Whether a broker is a replica of any partition, on its way there or away included. */
export const holdsAny = async (client: ClusterClient, broker: number, options: CallOptions): Promise<boolean> => {
  const { topics } = await fetchMetadata(client, null, options);
  return topics.some(({ partitions }) =>
    partitions.some(({ replicas }) => (replicas as readonly number[]).includes(broker)),
  );
};
