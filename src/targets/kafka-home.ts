// Where Apache Kafka's jars are, and which version they are: a Kafka home with `libs/`, a folder of jars, or what
// `npm run kafka:fetch` left in the cache folder.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory, environmentVariable } from '../environment.ts';
import { describeError, EnvironmentError } from '../errors.ts';

export interface KafkaHome {
  /** The folder that holds the jars. */
  readonly libs: string;
  /** As in the names of the jars: `4.1.2`. */
  readonly version: string;
  readonly java: string;
  /** As Java says it: `17.0.15`. */
  readonly javaVersion: string;
}

const KAFKA_JAR = /^kafka_2\.1[23]-(\d+\.\d+\.\d+(?:-[\w.]+)?)\.jar$/;

/** The version whose jars lie in `folder`; undefined where there are none. */
const versionIn = (folder: string): string | undefined => {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .map((name) => KAFKA_JAR.exec(name)?.[1])
    .find((version) => version !== undefined);
};

const fetched = (): readonly string[] => {
  const cache = cacheDirectory();
  if (!existsSync(cache)) return [];
  const homes = readdirSync(cache).filter((name) => name.startsWith('kafka-'));
  return homes.sort((one, other) => other.localeCompare(one, 'en', { numeric: true })).map((name) => join(cache, name));
};

const findLibs = (given: string | undefined, specFolder: string): Pick<KafkaHome, 'libs' | 'version'> => {
  const named = given ?? environmentVariable('ACKPROOF_KAFKA_HOME');
  const homes = named === undefined ? fetched() : [given === undefined ? resolve(named) : resolve(specFolder, named)];
  for (const home of homes) {
    for (const libs of [join(home, 'libs'), home]) {
      const version = versionIn(libs);
      if (version !== undefined) return { libs, version };
    }
  }
  throw new EnvironmentError(
    'KAFKA_NOT_FOUND',
    named === undefined ? 'Apache Kafka is not there to be started.' : `There are no jars of Apache Kafka in ${named}.`,
    {
      hint:
        'Unpack Apache Kafka and name its folder as kafkaHome in the target file or in ACKPROOF_KAFKA_HOME. ' +
        'In a clone of ackproof, npm run kafka:fetch brings it through Maven.',
    },
  );
};

const findJava = async (): Promise<Pick<KafkaHome, 'java' | 'javaVersion'>> => {
  const home = environmentVariable('JAVA_HOME');
  const java = home === undefined ? 'java' : join(home, 'bin', 'java');
  try {
    const { stderr, stdout } = await promisify(execFile)(java, ['-version'], { timeout: 20_000 });
    return { java, javaVersion: /version "([^"]+)"/.exec(stderr + stdout)?.[1] ?? 'unknown' };
  } catch (cause) {
    throw new EnvironmentError('JAVA_NOT_FOUND', `Java cannot be run as ${java}: ${describeError(cause)}`, {
      hint: 'Install a Java runtime of version 17 or later, or set JAVA_HOME.',
      cause,
    });
  }
};

/**
 * `given` as the target file names it, from that file's folder.
 * @throws EnvironmentError with how to get what is missing.
 */
export const findKafka = async (given: string | undefined, specFolder = '.'): Promise<KafkaHome> => ({
  ...findLibs(given, specFolder),
  ...(await findJava()),
});
