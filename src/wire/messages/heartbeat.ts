// Heartbeat, key 12: a group member says that it is alive.
import { defineApi, int16, int32, string } from '../schema.ts';

export const heartbeat = defineApi({
  name: 'Heartbeat',
  key: 12,
  minVersion: 0,
  maxVersion: 4,
  flexibleFrom: 4,
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: string({ since: 3, nullableSince: 3, default: null }),
  },
  response: { throttleTimeMs: int32({ since: 1 }), errorCode: int16() },
});
