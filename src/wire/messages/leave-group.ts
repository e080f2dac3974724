// LeaveGroup, key 13: one member up to version 2, a list of members from version 3 on.
import { array, defineApi, int16, int32, string } from '../schema.ts';

export const leaveGroup = defineApi({
  name: 'LeaveGroup',
  key: 13,
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 4,
  request: {
    groupId: string(),
    memberId: string({ until: 2, default: '' }),
    members: array(
      {
        memberId: string(),
        groupInstanceId: string({ nullableSince: 3, default: null }),
        reason: string({ since: 5, nullableSince: 5, default: null }),
      },
      { since: 3 },
    ),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16(),
    members: array(
      { memberId: string(), groupInstanceId: string({ nullableSince: 3 }), errorCode: int16() },
      { since: 3 },
    ),
  },
});
