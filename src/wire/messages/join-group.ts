// JoinGroup, key 11. Subscriptions and assignments inside are opaque bytes of the consumer protocol.
import { array, bool, bytes, defineApi, int16, int32, string } from '../schema.ts';

export const joinGroup = defineApi({
  name: 'JoinGroup',
  key: 11,
  minVersion: 0,
  maxVersion: 9,
  flexibleFrom: 6,
  request: {
    groupId: string(),
    sessionTimeoutMs: int32(),
    rebalanceTimeoutMs: int32({ since: 1, default: -1 }),
    memberId: string(),
    groupInstanceId: string({ since: 5, nullableSince: 5, default: null }),
    protocolType: string(),
    protocols: array({ name: string(), metadata: bytes() }),
    reason: string({ since: 8, nullableSince: 8, default: null }),
  },
  response: {
    throttleTimeMs: int32({ since: 2 }),
    errorCode: int16(),
    generationId: int32({ default: -1 }),
    protocolType: string({ since: 7, nullableSince: 7, default: null }),
    protocolName: string({ nullableSince: 7 }),
    leader: string(),
    skipAssignment: bool({ since: 9, default: false }),
    memberId: string(),
    members: array({
      memberId: string(),
      groupInstanceId: string({ since: 5, nullableSince: 5, default: null }),
      metadata: bytes(),
    }),
  },
});
