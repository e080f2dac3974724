// OffsetCommit: acknowledged once it is stored in the offsets topic, as durable as any record.
import type { RequestBody } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Commit } from '../groups/committed-offsets.ts';
import type { GroupShard } from '../groups/group-shard.ts';
import type { Handler } from '../handler.ts';
import { topicNamed } from '../locate.ts';

type Request = RequestBody<'OffsetCommit'>;

const MAX_METADATA_BYTES = 4096;

interface Checked {
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
  readonly commit: Commit | undefined;
}

const check = (services: BrokerServices, request: Request): readonly Checked[] =>
  request.topics.flatMap(({ name, partitions }) => {
    const topic = topicNamed(services.view(), name);
    return partitions.map((wanted): Checked => {
      const partition = wanted.partitionIndex;
      const metadata = wanted.committedMetadata ?? '';
      const refuse = (code: number): Checked => ({ topic: name, partition, code, commit: undefined });
      if (topic?.partitions[partition] === undefined) return refuse(KAFKA.UNKNOWN_TOPIC_OR_PARTITION);
      if (Buffer.byteLength(metadata) > MAX_METADATA_BYTES) return refuse(KAFKA.OFFSET_METADATA_TOO_LARGE);
      const { committedOffset: offset, committedLeaderEpoch: leaderEpoch } = wanted;
      const named = { group: request.groupId, topic: name, partition };
      const commit = { ...named, offset, leaderEpoch, metadata, topicId: topic.topicId };
      return { topic: name, partition, code: KAFKA.NONE, commit };
    });
  });

const store = async (
  services: BrokerServices,
  shard: GroupShard,
  request: Request,
  checked: readonly Checked[],
): Promise<number> => {
  const { groupId, memberId, groupInstanceId, generationIdOrMemberEpoch } = request;
  const group = shard.groupOrNew(groupId);
  const code = group.mayCommit(memberId, groupInstanceId, generationIdOrMemberEpoch);
  if (code !== KAFKA.NONE) return code;
  group.touch(services.clock.now(), memberId);
  const commits = checked.flatMap(({ commit }) => (commit === undefined ? [] : [commit]));
  return commits.length === 0 ? KAFKA.NONE : await shard.commit(commits, services.clock.wall());
};

export const offsetCommitHandler =
  (services: BrokerServices): Handler<'OffsetCommit'> =>
  async (request) => {
    const found = await services.groups.shardOf(request.groupId);
    const checked = check(services, request);
    const code = found.status === 'here' ? await store(services, found.shard, request, checked) : found.code;
    return {
      topics: request.topics.map(({ name }) => ({
        name,
        partitions: checked
          .filter((entry) => entry.topic === name)
          .map((entry) => ({
            partitionIndex: entry.partition,
            errorCode: code === KAFKA.NONE ? entry.code : code,
          })),
      })),
    };
  };
