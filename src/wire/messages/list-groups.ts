// ListGroups, key 16.
import { array, defineApi, int16, int32, string, stringArray } from '../schema.ts';

export const listGroups = defineApi({
  name: 'ListGroups',
  key: 16,
  minVersion: 0,
  maxVersion: 5,
  flexibleFrom: 3,
  request: { statesFilter: stringArray({ since: 4 }), typesFilter: stringArray({ since: 5 }) },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16(),
    groups: array({
      groupId: string(),
      protocolType: string(),
      groupState: string({ since: 4 }),
      groupType: string({ since: 5 }),
    }),
  },
});
