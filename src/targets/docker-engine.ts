// The Docker engine, the one file that knows dockerode. Every call has a deadline, because dockerode has none; the version that is
// spoken lies within the engine's own range; and a container is told by its whole id, never by a name.
import type { Readable } from 'node:stream';
import type Dockerode from 'dockerode';
import { DeadlineError, EnvironmentError } from '../errors.ts';
import { type ContainerFacts, containerFacts } from './container-facts.ts';
import { connectionOf, type DockerEndpoint, dockerEndpoint } from './docker-endpoint.ts';
import { dockerFailure } from './docker-failure.ts';
import { within } from './wait-for.ts';

const CALL_DEADLINE_MS = 10_000;
/** The newest API whose answers were read when this was written, and the oldest that has all that is asked for. */
const NEWEST_API: Version = [1, 51];
const OLDEST_API: Version = [1, 40];

type Version = readonly [major: number, minor: number];

/** Labels a thing must carry, with these values; an empty value asks only for the label. */
export type Labels = Readonly<Record<string, string>>;

export interface EngineVersion {
  readonly engine: string;
  readonly api: string;
  readonly system: string;
}

export interface DockerEngine {
  readonly endpoint: string;
  readonly version: EngineVersion;
  /** Whole ids of all containers, running or not, that carry the labels. */
  containerIds(labels: Labels, signal?: AbortSignal): Promise<readonly string[]>;
  inspect(id: string, signal?: AbortSignal): Promise<ContainerFacts>;
  /** Sends a signal to its first process; never `stop`, which thaws a paused container and kills one that takes its time. */
  kill(id: string, how: 'SIGKILL' | 'SIGTERM', signal?: AbortSignal): Promise<void>;
  pause(id: string, signal?: AbortSignal): Promise<void>;
  unpause(id: string, signal?: AbortSignal): Promise<void>;
  start(id: string, signal?: AbortSignal): Promise<void>;
  /** Ends a container, if it runs, and removes it with the volumes that are its own. */
  removeContainer(id: string, signal?: AbortSignal): Promise<void>;
  networkIds(labels: Labels, signal?: AbortSignal): Promise<readonly string[]>;
  removeNetwork(id: string, signal?: AbortSignal): Promise<void>;
  /** Both outputs of a container from `sinceMs` on until it ends, multiplexed as the engine sends them. */
  followLogs(id: string, sinceMs: number): Promise<Readable>;
  /** Lines of JSON about containers with the labels, from `sinceMs` on. */
  eventLines(labels: Labels, sinceMs: number): Promise<Readable>;
}

const parseVersion = (written: string): Version => {
  const [major = 0, minor = 0] = written.split('.').map(Number);
  return [major, minor];
};

const isNewer = (one: Version, other: Version): boolean =>
  one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];

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

/** Resolves never; rejects as soon as `signal` aborts. Some calls of dockerode take no signal, so all are raced against it. */
const aborted = async (signal: AbortSignal): Promise<never> =>
  await new Promise((_, reject) => {
    const give = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });

type Call = <T>(what: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

const caller =
  (endpoint: string): Call =>
  async (what, signal, work) => {
    try {
      return await within(CALL_DEADLINE_MS, signal, async (own) => await Promise.race([work(own), aborted(own)]));
    } catch (thrown) {
      signal?.throwIfAborted();
      if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
        throw new DeadlineError(`the Docker engine at ${endpoint} to ${what}`, CALL_DEADLINE_MS, 'no answer', {
          hint: 'See whether the Docker engine is well: `docker info`.',
        });
      }
      throw dockerFailure(endpoint, what, thrown);
    }
  };

/** An answer that does not end is handed over as it comes; its type tells less than it is. */
const asReadable = (stream: NodeJS.ReadableStream): Readable => stream as unknown as Readable;

const short = (id: string): string => `container ${id.slice(0, 12)}`;

const labelFilter = (labels: Labels): readonly string[] =>
  Object.entries(labels).map(([name, value]) => (value === '' ? name : `${name}=${value}`));

type Readings = 'containerIds' | 'inspect' | 'networkIds' | 'followLogs' | 'eventLines';

/** What only looks. */
const readingsOf = (docker: Dockerode, call: Call): Pick<DockerEngine, Readings> => ({
  containerIds: async (labels, signal) =>
    await call('list containers', signal, async (abortSignal) => {
      const filters = { label: [...labelFilter(labels)] };
      return (await docker.listContainers({ all: true, filters, abortSignal })).map(({ Id }) => Id);
    }),
  inspect: async (id, signal) =>
    await call(`inspect ${short(id)}`, signal, async (abortSignal) =>
      containerFacts(await docker.getContainer(id).inspect({ abortSignal })),
    ),
  networkIds: async (labels, signal) =>
    await call('list networks', signal, async (abortSignal) => {
      const filters = { label: [...labelFilter(labels)] };
      return (await docker.listNetworks({ filters, abortSignal })).map(({ Id }) => Id);
    }),
  followLogs: async (id, sinceMs) =>
    await call(`follow the log of ${short(id)}`, undefined, async () => {
      const options = { follow: true, stdout: true, stderr: true, since: sinceMs / 1000 } as const;
      return asReadable(await docker.getContainer(id).logs(options));
    }),
  eventLines: async (labels, sinceMs) =>
    await call('tell its events', undefined, async () => {
      const filters = { type: ['container' as const], label: [...labelFilter(labels)] };
      return asReadable(await docker.getEvents({ since: sinceMs / 1000, filters }));
    }),
});

/** What changes something. An answer only says that the engine took the order: whoever gives it looks afterwards. */
const actionsOf = (docker: Dockerode, call: Call): Omit<DockerEngine, Readings | 'endpoint' | 'version'> => {
  const act = async (
    what: string,
    id: string,
    signal: AbortSignal | undefined,
    work: (container: Dockerode.Container, abortSignal: AbortSignal) => Promise<unknown>,
  ): Promise<void> => {
    await call(`${what} ${short(id)}`, signal, async (own) => await work(docker.getContainer(id), own));
  };
  return {
    kill: async (id, how, signal) => {
      await act(`send ${how} to`, id, signal, (it, abortSignal) => it.kill({ signal: how, abortSignal }));
    },
    pause: async (id, signal) => {
      await act('pause', id, signal, (it, abortSignal) => it.pause({ abortSignal }));
    },
    unpause: async (id, signal) => {
      await act('unpause', id, signal, (it, abortSignal) => it.unpause({ abortSignal }));
    },
    start: async (id, signal) => {
      await act('start', id, signal, (it, abortSignal) => it.start({ abortSignal }));
    },
    removeContainer: async (id, signal) => {
      await act('remove', id, signal, (it, abortSignal) => it.remove({ force: true, v: true, abortSignal }));
    },
    removeNetwork: async (id, signal) => {
      await call(`remove network ${id.slice(0, 12)}`, signal, async (abortSignal): Promise<unknown> => {
        const answer: unknown = await docker.getNetwork(id).remove({ abortSignal });
        return answer;
      });
    },
  };
};

/** Connects and agrees on a version. @throws EnvironmentError that says what is missing: Docker, permission, a common version. */
export const openDockerEngine = async (
  endpoint: DockerEndpoint = dockerEndpoint(),
  signal?: AbortSignal,
): Promise<DockerEngine> => {
  const { default: Docker } = await import('dockerode');
  const connection = connectionOf(endpoint);
  // Told in full, with what is not wanted as undefined, or it would be filled in from DOCKER_HOST behind our back.
  const found = await caller(endpoint.url)(
    'tell its version',
    signal,
    async () => await new Docker(connection as Dockerode.DockerOptions).version(),
  );
  // Engines older than the range they tell of accept any version down to the first.
  const { MinAPIVersion = '1.12' } = found as { readonly MinAPIVersion?: string };
  const api = chooseApi(found.ApiVersion, MinAPIVersion);
  const docker = new Docker({ ...connection, version: `v${api}` });
  const call = caller(endpoint.url);
  const version = { engine: found.Version, api, system: `${found.Os} ${found.Arch}` };
  return { endpoint: endpoint.url, version, ...readingsOf(docker, call), ...actionsOf(docker, call) };
};
