// OffsetForLeaderEpoch, key 23: where an epoch ended, the evidence for who owned which part of the log.
import { array, defineApi, int16, int32, int64, string } from '../schema.ts';

export const offsetForLeaderEpoch = defineApi({
  name: 'OffsetForLeaderEpoch',
  key: 23,
  minVersion: 2,
  maxVersion: 4,
  flexibleFrom: 4,
  request: {
    /** −1 for clients; a version without the field implies −2, a debugging consumer. */
    replicaId: int32({ since: 3, default: -2 }),
    topics: array({
      topic: string(),
      partitions: array({ partition: int32(), currentLeaderEpoch: int32({ default: -1 }), leaderEpoch: int32() }),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    topics: array({
      topic: string(),
      partitions: array({
        errorCode: int16(),
        partition: int32(),
        leaderEpoch: int32({ default: -1 }),
        endOffset: int64({ default: -1 }),
      }),
    }),
  },
});
