// DescribeConfigs, key 32: the settings in force, read back. Resource type 2 is a topic, 4 a broker.
import { array, bool, defineApi, int8, int16, int32, string, stringArray } from '../schema.ts';

export const describeConfigs = defineApi({
  name: 'DescribeConfigs',
  key: 32,
  minVersion: 1,
  maxVersion: 4,
  flexibleFrom: 4,
  request: {
    resources: array({
      resourceType: int8(),
      resourceName: string(),
      /** Null asks for all. */
      configurationKeys: stringArray({ nullableSince: 0 }),
    }),
    includeSynonyms: bool({ default: false }),
    includeDocumentation: bool({ since: 3, default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    results: array({
      errorCode: int16(),
      errorMessage: string({ nullableSince: 0 }),
      resourceType: int8(),
      resourceName: string(),
      configs: array({
        name: string(),
        value: string({ nullableSince: 0 }),
        readOnly: bool(),
        configSource: int8({ default: -1 }),
        isSensitive: bool(),
        synonyms: array({ name: string(), value: string({ nullableSince: 0 }), source: int8() }, { since: 1 }),
        configType: int8({ since: 3, default: 0 }),
        documentation: string({ since: 3, nullableSince: 0, default: null }),
      }),
    }),
  },
});
