// SyncGroup, key 14: the leader of a group hands out assignments, every member collects its own.
import { array, bytes, defineApi, int16, int32, string } from '../schema.ts';

export const syncGroup = defineApi({
  name: 'SyncGroup',
  key: 14,
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 4,
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: string({ since: 3, nullableSince: 3, default: null }),
    protocolType: string({ since: 5, nullableSince: 5, default: null }),
    protocolName: string({ since: 5, nullableSince: 5, default: null }),
    assignments: array({ memberId: string(), assignment: bytes() }),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16(),
    protocolType: string({ since: 5, nullableSince: 5, default: null }),
    protocolName: string({ since: 5, nullableSince: 5, default: null }),
    assignment: bytes(),
  },
});
