// Where the jars of a storage manager for Kafka's tiers are: what docker/tiered-storage/build.sh left in the cache folder, or in the one
// that ACKPROOF_TIERED_STORAGE names.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cacheDirectory, environmentVariable } from '../environment.ts';
import { EnvironmentError } from '../errors.ts';
import type { ProcessSpec } from './target-spec.ts';

const JARS = {
  local: (version: string) => [`kafka-storage-${version}-test.jar`, `kafka-clients-${version}-test.jar`],
  s3: () => ['ackproof-tiered-storage.jar'],
} as const;

/**
 * The jars to put on the brokers' class path beside those of Kafka `version`, absolute; none where there are no tiers.
 * @throws EnvironmentError where one is missing.
 */
export const findTieredJars = ({ tieredStorage }: ProcessSpec, version: string): readonly string[] => {
  if (tieredStorage === undefined) return [];
  const named = environmentVariable('ACKPROOF_TIERED_STORAGE');
  const home = named === undefined ? join(cacheDirectory(), `tiered-storage-${version}`) : resolve(named);
  const jars = JARS[tieredStorage.manager](version).map((jar) => join(home, 'libs', jar));
  const missing = jars.find((jar) => !existsSync(jar));
  if (missing === undefined) return jars;
  throw new EnvironmentError(
    'TIERED_STORAGE_NOT_FOUND',
    `The storage manager "${tieredStorage.manager}" is not there: ${missing}.`,
    {
      hint: 'In a clone of ackproof, bash docker/tiered-storage/build.sh builds it through Maven; ACKPROOF_TIERED_STORAGE names another folder.',
    },
  );
};
