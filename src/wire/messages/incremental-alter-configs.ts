// IncrementalAlterConfigs, key 44: some settings of a topic (2) or broker (4) are changed, all others stay. Operation 0 sets one, 1
// takes it away, so that the setting of the level above is in force.
import { array, bool, defineApi, int8, int16, int32, string } from '../schema.ts';

export const incrementalAlterConfigs = defineApi({
  name: 'IncrementalAlterConfigs',
  key: 44,
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 1,
  request: {
    resources: array({
      resourceType: int8(),
      resourceName: string(),
      configs: array({ name: string(), configOperation: int8(), value: string({ nullableSince: 0 }) }),
    }),
    validateOnly: bool({ default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    responses: array({
      errorCode: int16(),
      errorMessage: string({ nullableSince: 0 }),
      resourceType: int8(),
      resourceName: string(),
    }),
  },
});
