// DescribeTopicPartitions, key 75: what Metadata says of partitions, and which replicas may still be elected without loss. A broker
// names as many partitions as it likes and tells by a cursor where to go on.
import { array, bool, defineApi, int16, int32, int32Array, string, struct, uuid } from '../schema.ts';

const cursor = struct({ topicName: string(), partitionIndex: int32() }, { nullableSince: 0, default: null });

export const describeTopicPartitions = defineApi({
  name: 'DescribeTopicPartitions',
  key: 75,
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  request: {
    topics: array({ name: string() }),
    responsePartitionLimit: int32({ default: 2000 }),
    cursor,
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    topics: array({
      errorCode: int16(),
      name: string({ nullableSince: 0 }),
      topicId: uuid(),
      isInternal: bool({ default: false }),
      partitions: array({
        errorCode: int16(),
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32({ default: -1 }),
        replicaNodes: int32Array(),
        isrNodes: int32Array(),
        /** Null where the cluster keeps no such set. */
        eligibleLeaderReplicas: int32Array({ nullableSince: 0, default: null }),
        lastKnownElr: int32Array({ nullableSince: 0, default: null }),
        offlineReplicas: int32Array(),
      }),
      topicAuthorizedOperations: int32({ default: -2147483648 }),
    }),
    nextCursor: cursor,
  },
});
