// The offsets that consumer groups have committed, and how a commit is written down: one record batch in a partition of the
// offsets topic, one record for each partition committed, JSON in key and value. The last record of a key counts.

import { InternalError } from '../../../errors.ts';
import { decodeRecordBatches, encodeRecordBatch } from '../../../wire/record-batch.ts';
import { integerIn, textIn } from '../../read-json.ts';

export interface CommittedOffset {
  readonly offset: number;
  /** −1 when the consumer did not say. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  /** The topic it was committed for; another topic of the same name does not inherit it. */
  readonly topicId: string;
}

export interface Commit extends CommittedOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

/** A batch that holds `commits` (at least one), to be appended to the group's partition. */
export const encodeCommits = (commits: readonly Commit[], wallMs: number): Buffer =>
  encodeRecordBatch({
    records: commits.map(({ group, topic, partition, offset, leaderEpoch, metadata, topicId }) => ({
      key: Buffer.from(JSON.stringify({ group, topic, partition })),
      value: Buffer.from(JSON.stringify({ offset, leaderEpoch, metadata, topicId })),
      timestamp: wallMs,
    })),
  });

const parse = (bytes: Buffer | null): unknown => {
  if (bytes === null) throw new InternalError('BROKER_BAD_COMMIT', 'A record of the offsets topic is empty.');
  return JSON.parse(bytes.toString('utf8'));
};

/** The commits in what was read of the offsets topic, in order. */
export const decodeCommits = (bytes: Buffer): readonly Commit[] =>
  decodeRecordBatches(bytes).batches.flatMap((batch) =>
    batch.records.map((record) => {
      const key = parse(record.key);
      const value = parse(record.value);
      const metadata = (value as { readonly metadata?: unknown }).metadata;
      return {
        group: textIn(key, 'group'),
        topic: textIn(key, 'topic'),
        partition: integerIn(key, 'partition'),
        offset: integerIn(value, 'offset'),
        leaderEpoch: integerIn(value, 'leaderEpoch'),
        metadata: typeof metadata === 'string' ? metadata : '',
        topicId: textIn(value, 'topicId'),
      };
    }),
  );

export class CommittedOffsets {
  private readonly groups = new Map<string, Map<string, Map<number, CommittedOffset>>>();

  apply(commit: Commit): void {
    const { group, topic, partition, offset, leaderEpoch, metadata, topicId } = commit;
    const topics = this.groups.get(group) ?? new Map<string, Map<number, CommittedOffset>>();
    const partitions = topics.get(topic) ?? new Map<number, CommittedOffset>();
    partitions.set(partition, { offset, leaderEpoch, metadata, topicId });
    topics.set(topic, partitions);
    this.groups.set(group, topics);
  }

  get(group: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.groups.get(group)?.get(topic)?.get(partition);
  }

  /** Every partition a group has committed, by topic. */
  partitionsOf(group: string): readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] {
    const topics = [...(this.groups.get(group) ?? [])];
    return topics.map(([name, partitions]) => ({ name, partitionIndexes: [...partitions.keys()] }));
  }

  groupIds(): readonly string[] {
    return [...this.groups.keys()];
  }
}
