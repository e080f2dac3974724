// ApiVersions, key 18: which versions of which requests a broker takes. Its answer always has the oldest header, because the
// asker cannot know yet what the broker understands.
import { array, bool, defineApi, int16, int32, int64, string } from '../schema.ts';

export const apiVersions = defineApi({
  name: 'ApiVersions',
  key: 18,
  minVersion: 0,
  maxVersion: 4,
  flexibleFrom: 3,
  request: { clientSoftwareName: string({ since: 3 }), clientSoftwareVersion: string({ since: 3 }) },
  response: {
    errorCode: int16(),
    apiKeys: array({ apiKey: int16(), minVersion: int16(), maxVersion: int16() }),
    throttleTimeMs: int32({ since: 1 }),
    supportedFeatures: array({ name: string(), minVersion: int16(), maxVersion: int16() }, { since: 3, tag: 0 }),
    finalizedFeaturesEpoch: int64({ since: 3, tag: 1, default: -1 }),
    finalizedFeatures: array(
      { name: string(), maxVersionLevel: int16(), minVersionLevel: int16() },
      { since: 3, tag: 2 },
    ),
    zkMigrationReady: bool({ since: 3, tag: 3, default: false }),
  },
});
