// Fetch, key 1. Version 13 names topics by id; 12 is the last that names them by name.
import { array, bytes, defineApi, int8, int16, int32, int32Array, int64, string, struct } from '../schema.ts';
import { currentLeader } from './leader-hint.ts';

export const fetch = defineApi({
  name: 'Fetch',
  key: 1,
  minVersion: 4,
  maxVersion: 12,
  flexibleFrom: 12,
  request: {
    clusterId: string({ since: 12, nullableSince: 12, default: null, tag: 0 }),
    replicaId: int32({ default: -1 }),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ default: 0x7fffffff }),
    isolationLevel: int8({ default: 0 }),
    sessionId: int32({ since: 7, default: 0 }),
    sessionEpoch: int32({ since: 7, default: -1 }),
    topics: array({
      topic: string(),
      partitions: array({
        partition: int32(),
        currentLeaderEpoch: int32({ since: 9, default: -1 }),
        fetchOffset: int64(),
        lastFetchedEpoch: int32({ since: 12, default: -1 }),
        logStartOffset: int64({ since: 5, default: -1 }),
        partitionMaxBytes: int32(),
      }),
    }),
    forgottenTopicsData: array({ topic: string(), partitions: int32Array() }, { since: 7 }),
    rackId: string({ since: 11, default: '' }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ since: 7 }),
    sessionId: int32({ since: 7, default: 0 }),
    responses: array({
      topic: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16(),
        highWatermark: int64(),
        lastStableOffset: int64({ default: -1 }),
        logStartOffset: int64({ since: 5, default: -1 }),
        divergingEpoch: struct(
          { epoch: int32({ default: -1 }), endOffset: int64({ default: -1 }) },
          { since: 12, tag: 0 },
        ),
        currentLeader: currentLeader(12, 1),
        snapshotId: struct({ endOffset: int64({ default: -1 }), epoch: int32({ default: -1 }) }, { since: 12, tag: 2 }),
        abortedTransactions: array({ producerId: int64(), firstOffset: int64() }, { since: 4, nullableSince: 4 }),
        preferredReadReplica: int32({ since: 11, default: -1 }),
        records: bytes({ nullableSince: 0 }),
      }),
    }),
  },
});
