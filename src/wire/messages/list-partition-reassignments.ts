// ListPartitionReassignments, key 46: partitions whose data is still on its way to other brokers.
import { array, defineApi, int16, int32, int32Array, string } from '../schema.ts';

export const listPartitionReassignments = defineApi({
  name: 'ListPartitionReassignments',
  key: 46,
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  request: {
    timeoutMs: int32({ default: 60000 }),
    /** Null asks for all. */
    topics: array({ name: string(), partitionIndexes: int32Array() }, { nullableSince: 0 }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16(),
    errorMessage: string({ nullableSince: 0 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        replicas: int32Array(),
        addingReplicas: int32Array(),
        removingReplicas: int32Array(),
      }),
    }),
  },
});
