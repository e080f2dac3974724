// FindCoordinator, key 10: one key up to version 3, a list of keys from version 4 on.
import { array, defineApi, int8, int16, int32, string, stringArray } from '../schema.ts';

export const findCoordinator = defineApi({
  name: 'FindCoordinator',
  key: 10,
  minVersion: 0,
  maxVersion: 4,
  flexibleFrom: 3,
  request: {
    key: string({ until: 3, default: '' }),
    /** 0 a group, 1 a transactional id. */
    keyType: int8({ since: 1, default: 0 }),
    coordinatorKeys: stringArray({ since: 4 }),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16({ until: 3, default: 0 }),
    errorMessage: string({ since: 1, until: 3, nullableSince: 1, default: null }),
    nodeId: int32({ until: 3, default: 0 }),
    host: string({ until: 3, default: '' }),
    port: int32({ until: 3, default: 0 }),
    coordinators: array(
      {
        key: string(),
        nodeId: int32(),
        host: string(),
        port: int32(),
        errorCode: int16(),
        errorMessage: string({ nullableSince: 4, default: null }),
      },
      { since: 4 },
    ),
  },
});
