// What a cluster says of a topic's partitions beyond Metadata: which replicas may still be elected without loss (ELR), and which
// of them were the last known ones. Only brokers of Apache Kafka from 3.7 on can be asked; others throw what `isNotServed` knows.
import type { BrokerId } from '../vocabulary.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { Connection } from './connection.ts';
import { type Deadline, requestOptions } from './deadline.ts';
import { UNKNOWN_TOPIC_OR_PARTITION } from './error-codes.ts';
import { type CallOptions, only, patiently, refuseCode } from './evidence-calls.ts';
import { type ResponseBody, WireError } from './protocol.ts';

export interface PartitionEvidence {
  readonly partition: number;
  /** Undefined while there is no leader. */
  readonly leader: BrokerId | undefined;
  /** −1 where the broker tells none. */
  readonly leaderEpoch: number;
  /** The preferred leader first. */
  readonly replicas: readonly BrokerId[];
  readonly inSync: readonly BrokerId[];
  readonly offline: readonly BrokerId[];
  /** Replicas out of sync that hold all that was committed; undefined where the cluster keeps no such set. */
  readonly eligible: readonly BrokerId[] | undefined;
  /** Those of them that ended uncleanly, and may have lost it. */
  readonly lastKnownEligible: readonly BrokerId[] | undefined;
}

type Answer = ResponseBody<'DescribeTopicPartitions'>;
type Row = Answer['topics'][number]['partitions'][number];

const brokersOf = (ids: readonly number[]): readonly BrokerId[] => ids as readonly BrokerId[];

const evidenceOf = (row: Row): PartitionEvidence => ({
  partition: row.partitionIndex,
  leader: row.leaderId < 0 ? undefined : (row.leaderId as BrokerId),
  leaderEpoch: row.leaderEpoch,
  replicas: brokersOf(row.replicaNodes),
  inSync: brokersOf(row.isrNodes),
  offline: brokersOf(row.offlineReplicas),
  eligible: row.eligibleLeaderReplicas === null ? undefined : brokersOf(row.eligibleLeaderReplicas),
  lastKnownEligible: row.lastKnownElr === null ? undefined : brokersOf(row.lastKnownElr),
});

/** The partition to go on with; undefined when all have been told. A cursor that does not move on would never end. */
const nextPartition = (topic: string, from: number, { nextCursor }: Answer): number | undefined => {
  if (nextCursor === null || nextCursor.topicName !== topic) return undefined;
  if (nextCursor.partitionIndex > from) return nextCursor.partitionIndex;
  throw new WireError(
    'WIRE_REFUSED',
    `DescribeTopicPartitions of ${topic} was to go on at partition ${nextCursor.partitionIndex}, after ${from} was asked.`,
  );
};

const askFrom = async (connection: Connection, topic: string, from: number, deadline: Deadline): Promise<Answer> => {
  const body = { topics: [{ name: topic }], cursor: { topicName: topic, partitionIndex: from } };
  return await connection.request('DescribeTopicPartitions', body, requestOptions(deadline));
};

/** Every partition of one topic that is known to be there, sorted, as one broker sees them. */
export const describePartitions = async (
  client: ClusterClient,
  topic: string,
  options: CallOptions,
): Promise<readonly PartitionEvidence[]> =>
  await patiently(`the partitions of topic ${topic}`, options, client, async (deadline) => {
    const connection = await client.anyConnection(deadline);
    const what = `DescribeTopicPartitions of ${topic}`;
    const found: PartitionEvidence[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const answer = await askFrom(connection, topic, from, deadline);
      const named = answer.topics.filter(({ name }) => name === topic);
      if (named.length === 0) refuseCode(what, UNKNOWN_TOPIC_OR_PARTITION);
      const { errorCode, partitions } = only(what, named);
      refuseCode(what, errorCode);
      found.push(...partitions.map(evidenceOf));
      from = nextPartition(topic, from, answer);
    }
    return found.sort((one, other) => one.partition - other.partition);
  });
