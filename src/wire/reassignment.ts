// Which brokers hold a partition, changed and looked at. The cluster takes the order at once and moves the data afterwards; until
// it has, the reassignment is listed as ongoing.
import type { BrokerId } from '../vocabulary.ts';
import type { ClusterClient } from './cluster-client.ts';
import { requestOptions } from './deadline.ts';
import { type CallOptions, groupByTopic, patiently, refuseCode, type TopicPartition } from './evidence-calls.ts';
import { type ResponseBody, WireError } from './protocol.ts';
import { controllerConnection } from './topic-calls.ts';

export interface ReplicaAssignment extends TopicPartition {
  /** The preferred leader first. */
  readonly replicas: readonly BrokerId[];
}

export interface OngoingReassignment extends ReplicaAssignment {
  readonly adding: readonly BrokerId[];
  readonly removing: readonly BrokerId[];
}

type Taken = ResponseBody<'AlterPartitionReassignments'>;

/** Throws for the first partition that was refused, or that the answer says nothing about. */
const refuseUntaken = (answer: Taken, { topic, partition }: TopicPartition): void => {
  const rows = answer.responses.filter(({ name }) => name === topic).flatMap(({ partitions }) => partitions);
  const row = rows.find(({ partitionIndex }) => partitionIndex === partition);
  const what = `AlterPartitionReassignments of ${topic}/${partition}`;
  if (row === undefined) throw new WireError('WIRE_REFUSED', `${what} was answered without that partition.`);
  refuseCode(what, row.errorCode, row.errorMessage);
};

/**
 * Orders partitions to other brokers, or their replicas into another order, which changes the preferred leader only. Asked twice
 * it does no more than once. Throws `WIRE_REFUSED` with Kafka's code, 39 for brokers that are not there; a broker that knows
 * version 1 refuses another replication factor too.
 */
export const reassignPartitions = async (
  client: ClusterClient,
  assignments: readonly ReplicaAssignment[],
  options: CallOptions,
): Promise<void> =>
  await patiently('the order to reassign partitions', options, client, async (deadline) => {
    const connection = await controllerConnection(client, deadline);
    const topics = [...groupByTopic(assignments)].map(([name, group]) => ({
      name,
      partitions: group.map(({ partition, replicas }) => ({ partitionIndex: partition, replicas })),
    }));
    const body = { timeoutMs: Math.ceil(deadline.remainingMs()), allowReplicationFactorChange: false, topics };
    const answer = await connection.request('AlterPartitionReassignments', body, requestOptions(deadline));
    refuseCode('AlterPartitionReassignments', answer.errorCode, answer.errorMessage);
    for (const assignment of assignments) refuseUntaken(answer, assignment);
  });

/** The named partitions whose data is still on its way, or all such (`null`). */
export const ongoingReassignments = async (
  client: ClusterClient,
  places: readonly TopicPartition[] | null,
  options: CallOptions,
): Promise<readonly OngoingReassignment[]> =>
  await patiently('the ongoing reassignments', options, client, async (deadline) => {
    const connection = await controllerConnection(client, deadline);
    const topics = [...groupByTopic(places ?? [])].map(([name, group]) => ({
      name,
      partitionIndexes: group.map(({ partition }) => partition),
    }));
    const body = { timeoutMs: Math.ceil(deadline.remainingMs()), topics: places === null ? null : topics };
    const answer = await connection.request('ListPartitionReassignments', body, requestOptions(deadline));
    refuseCode('ListPartitionReassignments', answer.errorCode, answer.errorMessage);
    return answer.topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, replicas, addingReplicas, removingReplicas }) => ({
        topic: name,
        partition: partitionIndex,
        replicas: replicas as readonly BrokerId[],
        adding: addingReplicas as readonly BrokerId[],
        removing: removingReplicas as readonly BrokerId[],
      })),
    );
  });
