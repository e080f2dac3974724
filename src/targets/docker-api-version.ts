// Which version of the Docker API is spoken: the newest that lies within the engine's own range and within ours.
import { z } from 'zod';
import { EnvironmentError } from '../errors.ts';

type Version = readonly [major: number, minor: number];

/** The newest API whose answers were read when this was written, and the oldest that has all that is asked for. */
const NEWEST_API: Version = [1, 51];
const OLDEST_API: Version = [1, 40];

const parseVersion = (written: string): Version => {
  const [major = 0, minor = 0] = written.split('.').map(Number);
  return [major, minor];
};

const isNewer = (one: Version, other: Version): boolean =>
  one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];

/** Whether `api` has what came with `since`. */
export const isAtLeast = (api: string, since: string): boolean => !isNewer(parseVersion(since), parseVersion(api));

const versionText = z.string().regex(/^\d+\.\d+$/u);

const versionAnswer = z.object({
  ApiVersion: versionText,
  // Engines older than the range they tell of accept any version down to the first.
  MinAPIVersion: versionText.default('1.12'),
  Version: z.string().default('unknown'),
  Os: z.string().default('unknown'),
  Arch: z.string().default('unknown'),
});

/** What an engine says of itself. @throws EnvironmentError where whoever listens at `endpoint` is no engine. */
export const readVersion = (endpoint: string, answer: unknown): z.output<typeof versionAnswer> => {
  const { data } = versionAnswer.safeParse(answer);
  if (data !== undefined) return data;
  throw new EnvironmentError('DOCKER_NO_ENGINE', `What listens at ${endpoint} tells no version of a Docker engine.`, {
    hint: 'Correct DOCKER_HOST or the Docker context.',
  });
};

/** The newest version that both sides speak. @throws EnvironmentError where there is none. */
export const chooseApi = (newest: string, oldest: string): string => {
  const [theirs, least] = [parseVersion(newest), parseVersion(oldest)];
  const chosen = isNewer(theirs, NEWEST_API) ? NEWEST_API : theirs;
  if (!isNewer(least, chosen) && !isNewer(OLDEST_API, chosen)) return chosen.join('.');
  const range = `${OLDEST_API.join('.')} to ${NEWEST_API.join('.')}`;
  throw new EnvironmentError(
    'DOCKER_API_VERSION',
    `The Docker engine speaks API ${oldest} to ${newest}, and this ackproof ${range}.`,
    { hint: isNewer(OLDEST_API, theirs) ? 'Use a newer Docker engine.' : 'Use a newer ackproof.' },
  );
};
