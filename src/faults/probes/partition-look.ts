// One partition as a broker describes it: by DescribeTopicPartitions, which knows eligible replicas too, or by Metadata where that
// is not served.
import { isNotServed } from '../../wire/api-negotiation.ts';
import type { ClusterClient } from '../../wire/cluster-client.ts';
import { findPartition } from '../../wire/cluster-metadata.ts';
import { type CallOptions, fetchMetadata, type TopicPartition } from '../../wire/evidence-calls.ts';
import { describePartitions } from '../../wire/partition-evidence.ts';

const DEADLINE_MS = 3000;

export interface PartitionLook {
  /** −1 while nobody leads. */
  readonly leader: number;
  readonly epoch: number;
  /** The preferred leader first. */
  readonly replicas: readonly number[];
  readonly inSync: readonly number[];
  /** Replicas out of sync that may be elected without loss; absent where nobody tells. */
  readonly eligible?: readonly number[];
}

const lookByMetadata = async (
  client: ClusterClient,
  { topic, partition }: TopicPartition,
  options: CallOptions,
): Promise<PartitionLook> => {
  const row = findPartition(await fetchMetadata(client, [topic], options), topic, partition);
  return { leader: row.leader ?? -1, epoch: row.leaderEpoch, replicas: row.replicas, inSync: row.inSync };
};

/** @throws WireError where no broker answers, or the partition is not there. */
export const lookAtPartition = async (
  client: ClusterClient,
  place: TopicPartition,
  signal: AbortSignal,
): Promise<PartitionLook> => {
  const options = { deadlineMs: DEADLINE_MS, signal };
  try {
    const rows = await describePartitions(client, place.topic, options);
    const row = rows.find(({ partition }) => partition === place.partition);
    if (row === undefined) return await lookByMetadata(client, place, options);
    const { leader, leaderEpoch, replicas, inSync, eligible } = row;
    return { leader: leader ?? -1, epoch: leaderEpoch, replicas, inSync, ...(eligible !== undefined && { eligible }) };
  } catch (thrown) {
    if (!isNotServed(thrown)) throw thrown;
    return await lookByMetadata(client, place, options);
  }
};

/** `led by 2 in epoch 5`. */
export const describeLeadership = ({ leader, epoch }: Pick<PartitionLook, 'leader' | 'epoch'>): string =>
  leader < 0 ? 'led by nobody' : `led by ${leader} in epoch ${epoch}`;
