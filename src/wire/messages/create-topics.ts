// CreateTopics, key 19. Explicit assignments go with −1 for the number of partitions and the replication factor.
import { array, bool, defineApi, int8, int16, int32, int32Array, string, uuid } from '../schema.ts';

export const createTopics = defineApi({
  name: 'CreateTopics',
  key: 19,
  minVersion: 2,
  maxVersion: 7,
  flexibleFrom: 5,
  request: {
    topics: array({
      name: string(),
      numPartitions: int32(),
      replicationFactor: int16(),
      assignments: array({ partitionIndex: int32(), brokerIds: int32Array() }),
      configs: array({ name: string(), value: string({ nullableSince: 0 }) }),
    }),
    timeoutMs: int32({ default: 60000 }),
    validateOnly: bool({ default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    topics: array({
      name: string(),
      topicId: uuid({ since: 7 }),
      errorCode: int16(),
      errorMessage: string({ nullableSince: 0, default: null }),
      topicConfigErrorCode: int16({ since: 5, tag: 0 }),
      numPartitions: int32({ since: 5, default: -1 }),
      replicationFactor: int16({ since: 5, default: -1 }),
      configs: array(
        {
          name: string(),
          value: string({ nullableSince: 5 }),
          readOnly: bool(),
          configSource: int8({ default: -1 }),
          isSensitive: bool(),
        },
        { since: 5, nullableSince: 5 },
      ),
    }),
  },
});
