// UpdateFeatures, key 57. Versions of what the whole cluster does alike; version 0 says of a downgrade only that it is one.
import { array, bool, defineApi, int8, int16, int32, string } from '../schema.ts';

export const updateFeatures = defineApi({
  name: 'UpdateFeatures',
  key: 57,
  minVersion: 1,
  maxVersion: 1,
  flexibleFrom: 0,
  request: {
    timeoutMs: int32({ default: 60000 }),
    featureUpdates: array({
      feature: string(),
      maxVersionLevel: int16(),
      /** 1 upgrades only. */
      upgradeType: int8({ default: 1 }),
    }),
    validateOnly: bool({ default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16(),
    errorMessage: string({ nullableSince: 0, default: null }),
    results: array({
      feature: string(),
      errorCode: int16(),
      errorMessage: string({ nullableSince: 0, default: null }),
    }),
  },
});
