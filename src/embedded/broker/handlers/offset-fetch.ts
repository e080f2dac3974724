// OffsetFetch: what a group has committed, −1 where it has not. The fence is asked first, so that a former coordinator cannot
// send a consumer back to an old offset.
import type { RequestBody, ResponseInput } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { GroupShard } from '../groups/group-shard.ts';
import type { Handler } from '../handler.ts';
import { topicNamed } from '../locate.ts';
import { within } from '../within.ts';

type WantedTopics = RequestBody<'OffsetFetch'>['topics'];
type TopicAnswer = NonNullable<ResponseInput<'OffsetFetch'>['topics']>[number];

interface GroupAnswer {
  readonly errorCode: number;
  readonly topics: readonly TopicAnswer[];
}

const WAIT_MS = 5000;
const FIRST_VERSION_WITH_GROUPS = 8;
const FIRST_VERSION_WITH_GROUP_CODE = 2;

const committed = (
  services: BrokerServices,
  shard: GroupShard,
  groupId: string,
  topics: WantedTopics,
): readonly TopicAnswer[] =>
  (topics ?? shard.offsets.partitionsOf(groupId)).map(({ name, partitionIndexes }) => {
    const topicId = topicNamed(services.view(), name)?.topicId;
    return {
      name,
      partitions: partitionIndexes.map((partitionIndex) => {
        const found = shard.offsets.get(groupId, name, partitionIndex);
        const known = found?.topicId === topicId ? found : undefined;
        return {
          partitionIndex,
          committedOffset: known?.offset ?? -1,
          committedLeaderEpoch: known?.leaderEpoch ?? -1,
          metadata: known?.metadata ?? '',
          errorCode: KAFKA.NONE,
        };
      }),
    };
  });

const answerFor = async (services: BrokerServices, groupId: string, topics: WantedTopics): Promise<GroupAnswer> => {
  const found = await services.groups.shardOf(groupId);
  if (found.status === 'not-here') return { errorCode: found.code, topics: [] };
  const confirmed = await within(found.shard.log.confirmOwnership(), WAIT_MS);
  if (confirmed === 'not-owner') return { errorCode: KAFKA.NOT_COORDINATOR, topics: [] };
  if (confirmed !== 'owner') return { errorCode: KAFKA.COORDINATOR_NOT_AVAILABLE, topics: [] };
  return { errorCode: KAFKA.NONE, topics: committed(services, found.shard, groupId, topics) };
};

/** Versions 0 and 1 have a code for each partition only. */
const spreadCode = (topics: WantedTopics, errorCode: number): readonly TopicAnswer[] =>
  (topics ?? []).map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: -1,
      metadata: '',
      errorCode,
    })),
  }));

export const offsetFetchHandler =
  (services: BrokerServices): Handler<'OffsetFetch'> =>
  async (request, context) => {
    if (context.version >= FIRST_VERSION_WITH_GROUPS) {
      const groups = await Promise.all(
        request.groups.map(async ({ groupId, topics }) => ({
          groupId,
          ...(await answerFor(services, groupId, topics)),
        })),
      );
      return { groups };
    }
    const answer = await answerFor(services, request.groupId, request.topics);
    const isOld = context.version < FIRST_VERSION_WITH_GROUP_CODE && answer.errorCode !== KAFKA.NONE;
    return isOld ? { topics: spreadCode(request.topics, answer.errorCode) } : answer;
  };
