// Snapshots of where partitions begin and end, asked of the leaders by ListOffsets. A new leader that does not know its end yet
// says so (OFFSET_NOT_AVAILABLE) and is asked again; what could not be had in time is told as missing, never as a number.
import { describeError } from '../errors.ts';
import type { ClusterClient } from '../wire/cluster-client.ts';
import { type Deadline, deadlineAfter, requestOptions } from '../wire/deadline.ts';
import { type CallOptions, describeTopic, type Isolation, type LogOffset, listOffset } from '../wire/evidence-calls.ts';

export interface PartitionOffsets {
  readonly topic: string;
  readonly partition: number;
  /** When it was asked, by the caller's clock. */
  readonly at: number;
  readonly earliest: number;
  readonly latest: number;
  /** The end of what read_committed shows. */
  readonly latestCommitted: number;
  readonly topicId: string;
  /** Absent where the leader tells none. */
  readonly epoch?: number;
}

export interface OffsetSnapshot {
  readonly taken: readonly PartitionOffsets[];
  readonly missing: readonly { readonly topic: string; readonly partition: number; readonly why: string }[];
}

export interface SnapshotOptions extends CallOptions {
  readonly topic: string;
  /** Milliseconds since the start of the run, read when a partition is asked. */
  readonly at: () => number;
}

/** A topic that is not there throws; a partition that does not answer is `missing`. One deadline holds for all questions. */
export const takeOffsets = async (client: ClusterClient, options: SnapshotOptions): Promise<OffsetSnapshot> => {
  const { topic } = options;
  const deadline = deadlineAfter(options.deadlineMs, options.signal);
  const { partitions, topicId } = await describeTopic(client, topic, requestOptions(deadline));
  const taken: PartitionOffsets[] = [];
  const missing: { topic: string; partition: number; why: string }[] = [];
  await Promise.all(
    partitions.map(async ({ partition }) => {
      try {
        taken.push(await askPartition(client, options, deadline, partition, topicId));
      } catch (thrown) {
        options.signal?.throwIfAborted();
        missing.push({ topic, partition, why: describeError(thrown) });
      }
    }),
  );
  const byPartition = (one: { partition: number }, other: { partition: number }): number =>
    one.partition - other.partition;
  return { taken: taken.sort(byPartition), missing: missing.sort(byPartition) };
};

const askPartition = async (
  client: ClusterClient,
  { topic, ...options }: SnapshotOptions,
  deadline: Deadline,
  partition: number,
  topicId: string,
): Promise<PartitionOffsets> => {
  const at = options.at();
  const ask = async (position: 'earliest' | 'latest', isolation: Isolation): Promise<LogOffset> =>
    await listOffset(client, { topic, partition }, position, isolation, requestOptions(deadline));
  // In this order, so that under load each number is at most the one asked after it.
  const earliest = await ask('earliest', 'read_uncommitted');
  const latestCommitted = await ask('latest', 'read_committed');
  const latest = await ask('latest', 'read_uncommitted');
  return {
    topic,
    partition,
    at,
    earliest: earliest.offset,
    latest: latest.offset,
    latestCommitted: latestCommitted.offset,
    topicId,
    ...epochOf(latest),
  };
};

const epochOf = ({ leaderEpoch }: LogOffset): { readonly epoch?: number } =>
  leaderEpoch < 0 ? {} : { epoch: leaderEpoch };
