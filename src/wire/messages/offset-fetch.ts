// OffsetFetch, key 9: one group with `groupId` and `topics` up to version 7, several in `groups` from version 8 on.
import { array, bool, defineApi, int16, int32, int32Array, int64, string } from '../schema.ts';

const committedPartition = {
  partitionIndex: int32(),
  committedOffset: int64(),
  committedLeaderEpoch: int32({ since: 5, default: -1 }),
  metadata: string({ nullableSince: 0 }),
  errorCode: int16(),
};

export const offsetFetch = defineApi({
  name: 'OffsetFetch',
  key: 9,
  minVersion: 1,
  maxVersion: 9,
  flexibleFrom: 6,
  request: {
    groupId: string({ until: 7, default: '' }),
    /** Null asks for all topics of the group. */
    topics: array({ name: string(), partitionIndexes: int32Array() }, { since: 0, until: 7, nullableSince: 2 }),
    groups: array(
      {
        groupId: string(),
        memberId: string({ since: 9, nullableSince: 9, default: null }),
        memberEpoch: int32({ since: 9, default: -1 }),
        topics: array({ name: string(), partitionIndexes: int32Array() }, { nullableSince: 8 }),
      },
      { since: 8 },
    ),
    requireStable: bool({ since: 7, default: false }),
  },
  response: {
    throttleTimeMs: int32({ since: 3 }),
    topics: array({ name: string(), partitions: array(committedPartition) }, { since: 0, until: 7 }),
    errorCode: int16({ since: 2, until: 7, default: 0 }),
    groups: array(
      {
        groupId: string(),
        topics: array({ name: string(), partitions: array(committedPartition) }),
        errorCode: int16({ default: 0 }),
      },
      { since: 8 },
    ),
  },
});
