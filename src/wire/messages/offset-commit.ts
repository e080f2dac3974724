// OffsetCommit, key 8. Version 10 names topics by id; 9 is the last that names them by name.
import { array, defineApi, int16, int32, int64, string } from '../schema.ts';

export const offsetCommit = defineApi({
  name: 'OffsetCommit',
  key: 8,
  minVersion: 2,
  maxVersion: 9,
  flexibleFrom: 8,
  request: {
    groupId: string(),
    generationIdOrMemberEpoch: int32({ default: -1 }),
    memberId: string({ default: '' }),
    groupInstanceId: string({ since: 7, nullableSince: 7, default: null }),
    retentionTimeMs: int64({ since: 2, until: 4, default: -1 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        committedOffset: int64(),
        committedLeaderEpoch: int32({ since: 6, default: -1 }),
        committedMetadata: string({ nullableSince: 0 }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ since: 3 }),
    topics: array({ name: string(), partitions: array({ partitionIndex: int32(), errorCode: int16() }) }),
  },
});
