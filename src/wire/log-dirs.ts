// What one broker has on its own disks, asked of that broker: the proof that a replica is there, how large it is and how far it
// lags. A directory that has failed is an answer, not an error.
import type { BrokerId } from '../vocabulary.ts';
import type { ClusterClient } from './cluster-client.ts';
import { requestOptions } from './deadline.ts';
import { type CallOptions, groupByTopic, patiently, refuseCode, type TopicPartition } from './evidence-calls.ts';
import type { ResponseBody } from './protocol.ts';

export interface ReplicaOnDisk extends TopicPartition {
  readonly sizeBytes: number;
  /** Records behind the high watermark, or behind the log that it is to replace. */
  readonly offsetLag: number;
  /** Whether it is a copy on its way to another directory of the same broker. */
  readonly isFuture: boolean;
}

export interface LogDirectory {
  readonly path: string;
  /** 0, or 56 where the broker has given the directory up. */
  readonly errorCode: number;
  /** Of the volume it is on; undefined where the broker does not tell. */
  readonly totalBytes: number | undefined;
  readonly usableBytes: number | undefined;
  readonly replicas: readonly ReplicaOnDisk[];
}

type Row = ResponseBody<'DescribeLogDirs'>['results'][number];

const sizeOf = (bytes: number): number | undefined => (bytes < 0 ? undefined : bytes);

const directoryOf = (row: Row): LogDirectory => ({
  path: row.logDir,
  errorCode: row.errorCode,
  totalBytes: sizeOf(row.totalBytes),
  usableBytes: sizeOf(row.usableBytes),
  replicas: row.topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex, partitionSize, offsetLag, isFutureKey }) => ({
      topic: name,
      partition: partitionIndex,
      sizeBytes: partitionSize,
      offsetLag,
      isFuture: isFutureKey,
    })),
  ),
});

/** The directories of a broker with the replicas of the named partitions in them, or of all (`null`). */
export const describeLogDirs = async (
  client: ClusterClient,
  broker: BrokerId,
  places: readonly TopicPartition[] | null,
  options: CallOptions,
): Promise<readonly LogDirectory[]> =>
  await patiently(`the log directories of broker ${broker}`, options, client, async (deadline) => {
    const connection = await client.brokerConnection(broker, deadline);
    const topics = [...groupByTopic(places ?? [])].map(([topic, group]) => ({
      topic,
      partitions: group.map(({ partition }) => partition),
    }));
    const body = { topics: places === null ? null : topics };
    const answer = await connection.request('DescribeLogDirs', body, requestOptions(deadline));
    refuseCode(`DescribeLogDirs of broker ${broker}`, answer.errorCode);
    return answer.results.map(directoryOf);
  });
