// Produce, key 0. Version 13 names topics by id; 12 is the last that names them by name. Brokers should claim version 0 as
// their lowest, because librdkafka takes the absence of version 2 for an old broker and then refuses to compress.
import { array, bytes, defineApi, int16, int32, int64, logOffset, string } from '../schema.ts';
import { currentLeader, nodeEndpoints } from './leader-hint.ts';

export const produce = defineApi({
  name: 'Produce',
  key: 0,
  minVersion: 3,
  maxVersion: 12,
  flexibleFrom: 9,
  claimedMinVersion: 0,
  request: {
    transactionalId: string({ nullableSince: 3, default: null }),
    acks: int16(),
    timeoutMs: int32(),
    topicData: array({
      name: string(),
      partitionData: array({ index: int32(), records: bytes({ nullableSince: 0 }) }),
    }),
  },
  response: {
    responses: array({
      name: string(),
      partitionResponses: array({
        index: int32(),
        errorCode: int16(),
        baseOffset: logOffset(),
        logAppendTimeMs: int64({ default: -1 }),
        logStartOffset: int64({ since: 5, default: -1 }),
        recordErrors: array(
          { batchIndex: int32(), batchIndexErrorMessage: string({ nullableSince: 8, default: null }) },
          { since: 8 },
        ),
        errorMessage: string({ since: 8, nullableSince: 8, default: null }),
        currentLeader: currentLeader(10, 0),
      }),
    }),
    throttleTimeMs: int32({ default: 0 }),
    nodeEndpoints: nodeEndpoints(10, 0),
  },
});
