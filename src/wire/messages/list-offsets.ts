// ListOffsets, key 2. Timestamp −1 asks for the end of the log, −2 for its start; −3 to −6 have come with versions 7, 8, 9 and 11,
// which change nothing else.
import { array, defineApi, int8, int16, int32, int64, string } from '../schema.ts';

export const listOffsets = defineApi({
  name: 'ListOffsets',
  key: 2,
  minVersion: 1,
  maxVersion: 11,
  flexibleFrom: 6,
  request: {
    replicaId: int32({ default: -1 }),
    isolationLevel: int8({ since: 2 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        currentLeaderEpoch: int32({ since: 4, default: -1 }),
        timestamp: int64(),
      }),
    }),
    timeoutMs: int32({ since: 10 }),
  },
  response: {
    throttleTimeMs: int32({ since: 2 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16(),
        timestamp: int64({ default: -1 }),
        offset: int64({ default: -1 }),
        leaderEpoch: int32({ since: 4, default: -1 }),
      }),
    }),
  },
});
