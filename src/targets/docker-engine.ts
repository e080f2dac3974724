// The Docker engine, the one file that knows dockerode. Every call has a deadline, because dockerode has none, and a container is
// told by its whole id, never by a name.
import type { Readable } from 'node:stream';
import type Dockerode from 'dockerode';
import { DeadlineError } from '../errors.ts';
import { endpointOrder } from './container-endpoints.ts';
import { containerFacts } from './container-facts.ts';
import { recipeOf, recipeOrder } from './container-recipe.ts';
import type { Beside, DockerEngine, EngineUsage, Labels, VolumeFacts } from './docker-api.ts';
import { chooseApi, isAtLeast, readVersion } from './docker-api-version.ts';
import { connectionOf, type DockerEndpoint, dockerEndpoint } from './docker-endpoint.ts';
import { dockerFailure, isNotThere } from './docker-failure.ts';
import { FrameStripper } from './frame-stripper.ts';
import { within } from './wait-for.ts';

export type { DockerEngine, Labels } from './docker-api.ts';

const CALL_DEADLINE_MS = 10_000;
/** From here on counters are told at once, and a hardware address can be asked for in one network. */
const ONE_SHOT_API = '1.41';
const MAC_ADDRESS_API = '1.44';

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

interface RawVolume {
  readonly Name: string;
}

/** An engine tells no labels of a thing that has none. */
const labelsOf = ({ Labels: labels }: { readonly Labels?: Labels | null }): Labels => labels ?? {};

const volumeFacts = (raw: Dockerode.VolumeInspectInfo): VolumeFacts => ({
  name: raw.Name,
  driver: raw.Driver,
  options: raw.Options ?? {},
  labels: labelsOf(raw),
  madeAt: (raw as { readonly CreatedAt?: string }).CreatedAt ?? '',
});

/** A counter that is missing has counted nothing: so the engine tells of a container that does not run. */
interface RawUsage {
  readonly cpu_stats?: { readonly throttling_data?: { readonly throttled_periods?: number } };
  readonly memory_stats?: { readonly usage?: number; readonly failcnt?: number; readonly max_usage?: number };
}

const usageOf = ({ cpu_stats: cpu, memory_stats: memory }: RawUsage): EngineUsage => ({
  // The unified hierarchy of control groups keeps no greatest usage, and the engine then counts only what ended a process.
  countsOnlyKills: memory?.usage !== undefined && memory.max_usage === undefined,
  throttledPeriods: cpu?.throttling_data?.throttled_periods ?? 0,
  memoryBytes: memory?.usage ?? 0,
  memoryLimitHits: memory?.failcnt ?? 0,
});

/** Everything that a program printed, until its stream ends. */
const outputOf = async (stream: Readable): Promise<string> => {
  const stripper = new FrameStripper();
  let output = '';
  stream.on('data', (chunk: Buffer) => {
    output += stripper.take(chunk).toString('utf8');
  });
  await new Promise<void>((resolve, reject) => {
    stream.once('error', reject);
    for (const end of ['end', 'close'] as const) stream.once(end, () => resolve());
  });
  return output;
};

/** What of an engine one part of this file makes. */
type Part<K extends keyof DockerEngine> = Pick<DockerEngine, K>;

/** What only looks at containers. */
const readingsOf = (
  docker: Dockerode,
  call: Call,
  api: string,
): Part<'containerIds' | 'inspect' | 'listed' | 'recipe' | 'usage' | 'followLogs' | 'eventLines'> => {
  const list = async (labels: Labels, signal: AbortSignal | undefined): Promise<readonly Dockerode.ContainerInfo[]> =>
    await call('list containers', signal, async (abortSignal) => {
      const filters = { label: [...labelFilter(labels)] };
      return await docker.listContainers({ all: true, filters, abortSignal });
    });
  return {
    containerIds: async (labels, signal) => (await list(labels, signal)).map(({ Id }) => Id),
    listed: async (labels, signal) =>
      (await list(labels, signal)).map((each) => ({
        name: (each.Names[0] ?? each.Id).replace(/^\//u, ''),
        labels: labelsOf(each),
      })),
    recipe: async (id, signal) =>
      await call(`inspect ${short(id)}`, signal, async (abortSignal) => {
        const raw = await docker.getContainer(id).inspect({ abortSignal });
        return recipeOf(containerFacts(raw), raw);
      }),
    inspect: async (id, signal) =>
      await call(`inspect ${short(id)}`, signal, async (abortSignal) =>
        containerFacts(await docker.getContainer(id).inspect({ abortSignal })),
      ),
    usage: async (id, signal) =>
      await call(`count for ${short(id)}`, signal, async (abortSignal) => {
        const oneShot = isAtLeast(api, ONE_SHOT_API);
        const options = { stream: false, ...(oneShot && { 'one-shot': true }), abortSignal } as const;
        return usageOf(await docker.getContainer(id).stats(options));
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
  };
};

/** What changes containers. An answer only says that the engine took the order: whoever gives it looks afterwards. */
const actionsOf = (
  docker: Dockerode,
  call: Call,
): Part<'kill' | 'pause' | 'unpause' | 'start' | 'create' | 'removeContainer' | 'update'> => {
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
    create: async (recipe, signal) =>
      await call(`make the container ${recipe.name}`, signal, async (abortSignal) => {
        const order = { name: recipe.name, ...recipeOrder(recipe), abortSignal };
        return (await docker.createContainer(order)).id;
      }),
    removeContainer: async (id, signal) => {
      await act('remove', id, signal, (it, abortSignal) => it.remove({ force: true, v: true, abortSignal }));
    },
    update: async (id, limits, signal) => {
      await act('change the limits of', id, signal, (it, abortSignal) => it.update({ ...limits, abortSignal }));
    },
  };
};

const placeBeside = (id: string, shares: NonNullable<Beside['shares']>): Dockerode.HostConfig => {
  if (shares === 'its volumes') return { VolumesFrom: [id], NetworkMode: 'none' };
  return { NetworkMode: shares === 'nowhere' ? 'none' : `container:${id}`, CapAdd: ['NET_ADMIN'] };
};

/** Programs in containers and beside them. */
const programsOf = (docker: Dockerode, call: Call): Part<'exec' | 'printed' | 'startBeside'> => ({
  exec: async (id, command, signal) =>
    await call(`run ${command[0] ?? 'nothing'} in ${short(id)}`, signal, async (abortSignal) => {
      const options = { Cmd: [...command], User: '0', AttachStdout: true, AttachStderr: true, Tty: false };
      const program = await docker.getContainer(id).exec({ ...options, abortSignal });
      return await outputOf(asReadable(await program.start({ Detach: false, Tty: false, abortSignal })));
    }),
  printed: async (id, signal) =>
    await call(`tell the output of ${short(id)}`, signal, async (abortSignal) => {
      const options = { follow: false, stdout: true, stderr: true, abortSignal } as const;
      const output: unknown = await docker.getContainer(id).logs(options);
      return new FrameStripper().take(Buffer.isBuffer(output) ? output : Buffer.from(String(output))).toString('utf8');
    }),
  startBeside: async (id, { image, script, labels, shares = 'its volumes' }, signal) =>
    await call(`start a container beside ${short(id)}`, signal, async (abortSignal) => {
      const container = await docker.createContainer({
        Image: image,
        User: '0',
        Entrypoint: ['/bin/sh', '-c'],
        Cmd: [script],
        Labels: { ...labels },
        HostConfig: { ...placeBeside(id, shares), AutoRemove: false },
        abortSignal,
      });
      // One that was made and not started would stay, and nobody know its id.
      await container.start({ abortSignal }).catch(async (thrown: unknown) => {
        await container.remove({ force: true, v: true }).catch(() => undefined);
        throw thrown;
      });
      return container.id;
    }),
});

const volumesOf = (
  docker: Dockerode,
  call: Call,
): Part<'claimVolume' | 'makeVolume' | 'removeVolume' | 'volume' | 'volumeLabels' | 'volumeNames'> => {
  const inspect = async (name: string, signal: AbortSignal | undefined): Promise<Dockerode.VolumeInspectInfo> =>
    await call(`inspect the volume ${name}`, signal, async (abortSignal) => {
      const options = { abortSignal };
      return await docker.getVolume(name).inspect(options as object);
    });
  return {
    volumeLabels: async (name, signal) => labelsOf(await inspect(name, signal)),
    volumeNames: async (labels, signal) =>
      await call('list volumes', signal, async (abortSignal) => {
        const filters = { label: [...labelFilter(labels)] };
        const found = (await docker.listVolumes({ filters, abortSignal })) as { readonly Volumes: RawVolume[] | null };
        return (found.Volumes ?? []).map(({ Name }) => Name);
      }),
    volume: async (name, signal) => {
      try {
        return volumeFacts(await inspect(name, signal));
      } catch (thrown) {
        if (isNotThere(thrown)) return undefined;
        throw thrown;
      }
    },
    makeVolume: async ({ name, driver, options, labels }, signal) => {
      const order = { Name: name, Driver: driver, DriverOpts: { ...options }, Labels: { ...labels } };
      await call(`make the volume ${name}`, signal, async (abortSignal) => {
        await docker.createVolume({ ...order, abortSignal });
      });
    },
    claimVolume: async (name, labels, signal) => {
      // One that is there already is left as it is, with the labels it was made with.
      await call(`make the volume ${name}`, signal, async (abortSignal) => {
        await docker.createVolume({ Name: name, Labels: { ...labels }, abortSignal });
      });
      return labelsOf(await inspect(name, signal));
    },
    removeVolume: async (name, signal) => {
      await call(`remove the volume ${name}`, signal, async (abortSignal): Promise<unknown> => {
        const answer: unknown = await docker.getVolume(name).remove({ abortSignal });
        return answer;
      });
    },
  };
};

const networksOf = (
  docker: Dockerode,
  call: Call,
  api: string,
): Part<'connect' | 'disconnect' | 'networkIds' | 'removeNetwork'> => {
  const act = async (
    what: string,
    networkId: string,
    signal: AbortSignal | undefined,
    work: (network: Dockerode.Network, abortSignal: AbortSignal) => Promise<unknown>,
  ): Promise<void> => {
    await call(what, signal, async (own) => await work(docker.getNetwork(networkId), own));
  };
  return {
    networkIds: async (labels, signal) =>
      await call('list networks', signal, async (abortSignal) => {
        const filters = { label: [...labelFilter(labels)] };
        return (await docker.listNetworks({ filters, abortSignal })).map(({ Id }) => Id);
      }),
    connect: async (id, endpoint, signal) => {
      const EndpointConfig = endpointOrder(endpoint, isAtLeast(api, MAC_ADDRESS_API));
      await act(`connect ${short(id)} to ${endpoint.network}`, endpoint.networkId, signal, (it, abortSignal) => {
        const order = { Container: id, EndpointConfig, abortSignal };
        return it.connect(order);
      });
    },
    disconnect: async (id, networkId, signal) => {
      await act(`disconnect ${short(id)}`, networkId, signal, (it, abortSignal) =>
        it.disconnect({ Container: id, Force: false, abortSignal }),
      );
    },
    removeNetwork: async (id, signal) => {
      await act(`remove network ${id.slice(0, 12)}`, id, signal, (it, abortSignal) => it.remove({ abortSignal }));
    },
  };
};

/** Its type knows no signal; a call that is left unanswered would keep this process alive. */
const versionOf = async (docker: Dockerode, abortSignal: AbortSignal): Promise<unknown> =>
  await (docker.version as (options: object) => Promise<unknown>).call(docker, { abortSignal });

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
    async (abortSignal) => await versionOf(new Docker(connection as Dockerode.DockerOptions), abortSignal),
  );
  const { ApiVersion, MinAPIVersion, Version, Os, Arch } = readVersion(endpoint.url, found);
  const api = chooseApi(ApiVersion, MinAPIVersion);
  const docker = new Docker({ ...connection, version: `v${api}` });
  const call = caller(endpoint.url);
  const version = { engine: Version, api, system: `${Os} ${Arch}` };
  return {
    endpoint: endpoint.url,
    version,
    ...readingsOf(docker, call, api),
    ...actionsOf(docker, call),
    ...programsOf(docker, call),
    ...volumesOf(docker, call),
    ...networksOf(docker, call, api),
  };
};
