// DescribeGroups, key 15.
import { array, bool, bytes, defineApi, int16, int32, string, stringArray } from '../schema.ts';

export const describeGroups = defineApi({
  name: 'DescribeGroups',
  key: 15,
  minVersion: 0,
  maxVersion: 6,
  flexibleFrom: 5,
  request: { groups: stringArray(), includeAuthorizedOperations: bool({ since: 3 }) },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    groups: array({
      errorCode: int16(),
      errorMessage: string({ since: 6, nullableSince: 6, default: null }),
      groupId: string(),
      groupState: string(),
      protocolType: string(),
      protocolData: string(),
      members: array({
        memberId: string(),
        groupInstanceId: string({ since: 4, nullableSince: 4, default: null }),
        clientId: string(),
        clientHost: string(),
        memberMetadata: bytes(),
        memberAssignment: bytes(),
      }),
      authorizedOperations: int32({ since: 3, default: -2147483648 }),
    }),
  },
});
