// InitProducerId, key 22: the identity under which an idempotent producer numbers its batches.
import { defineApi, int16, int32, int64, string } from '../schema.ts';

export const initProducerId = defineApi({
  name: 'InitProducerId',
  key: 22,
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 2,
  request: {
    transactionalId: string({ nullableSince: 0 }),
    transactionTimeoutMs: int32(),
    producerId: int64({ since: 3, default: -1 }),
    producerEpoch: int16({ since: 3, default: -1 }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16(),
    producerId: int64({ default: -1 }),
    producerEpoch: int16(),
  },
});
