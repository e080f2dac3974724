// AlterPartitionReassignments, key 45: which brokers shall hold a partition, the preferred leader first; the data moves afterwards.
import { array, bool, defineApi, int16, int32, int32Array, string } from '../schema.ts';

export const alterPartitionReassignments = defineApi({
  name: 'AlterPartitionReassignments',
  key: 45,
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 0,
  request: {
    timeoutMs: int32({ default: 60000 }),
    allowReplicationFactorChange: bool({ since: 1, default: true }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        /** Null takes a pending reassignment back. */
        replicas: int32Array({ nullableSince: 0, default: null }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    allowReplicationFactorChange: bool({ since: 1, default: true }),
    errorCode: int16(),
    errorMessage: string({ nullableSince: 0 }),
    responses: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: string({ nullableSince: 0 }),
      }),
    }),
  },
});
