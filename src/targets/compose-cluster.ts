// A compose project that is up: its containers read and mapped, every broker seen to serve where its clients reach it, through its
// own proxy or at the port it publishes, and to be told by an address that leads there.
import { systemClock } from '../clock.ts';
import { describeError, EnvironmentError } from '../errors.ts';
import { type ComposeMap, mapProject, nodesOf, type ProxyRow, toxiproxiesOf } from './compose-map.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { NodeReady } from './container-nodes.ts';
import type { DockerEngine, Labels } from './docker-engine.ts';
import { httpJson } from './http-call.ts';
import { awaitServing } from './proxied-readiness.ts';
import { leadsToPublished } from './published-listeners.ts';
import { type LeadsTo, type ServedCluster, servedBrokers, servedCluster } from './served-addresses.ts';
import type { Address, BrokerNode } from './target.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const CALL_DEADLINE_MS = 5_000;
const LOOK_EVERY_MS = 200;
const LOOK_WHOLE_EVERY_MS = 1_000;

/** What all containers of a project carry, whichever Compose made them; one-off ones are no part of it. */
export const projectLabels = (project: string): Labels => ({
  'com.docker.compose.project': project,
  'com.docker.compose.oneoff': 'False',
});

export const readContainers = async (
  engine: DockerEngine,
  project: string,
  signal: AbortSignal,
): Promise<readonly ContainerFacts[]> => {
  const ids = await engine.containerIds(projectLabels(project), signal);
  return await Promise.all(ids.map(async (id) => await engine.inspect(id, signal)));
};

const refuseEnded = (containers: readonly ContainerFacts[]): void => {
  const ended = containers.find(({ status }) => status !== 'running');
  if (ended === undefined) return;
  throw new EnvironmentError(
    'TARGET_CONTAINER_ENDED',
    `The container ${ended.name} is ${ended.status} (exit code ${ended.exitCode}), so the cluster is not whole.`,
    { hint: `See why: docker logs ${ended.id.slice(0, 12)}` },
  );
};

/** The proxies of one Toxiproxy, once it answers. */
const readProxies = async (admin: Address, name: string, deadlineMs: number, signal: AbortSignal) =>
  await waitFor({ awaited: `${name} to answer`, deadlineMs, everyMs: LOOK_EVERY_MS, signal }, async () => {
    try {
      const call = { method: 'GET', address: admin, path: '/proxies', deadlineMs: CALL_DEADLINE_MS, signal } as const;
      return done(Object.values((await httpJson(call)) as Readonly<Record<string, ProxyRow>>));
    } catch (thrown) {
      signal.throwIfAborted();
      return notYet(describeError(thrown));
    }
  });

/** The broker behind each proxy, and behind each direct listener, is the one its label says. */
const refuseMixUp = async (brokers: readonly BrokerNode[], leadsTo: LeadsTo, signal: AbortSignal): Promise<void> => {
  for (const listener of ['advertised', 'direct'] as const) {
    for (const asked of brokers) {
      const served = await servedBrokers(asked[listener], CALL_DEADLINE_MS, signal);
      for (const broker of brokers) {
        const told = served.find(({ id }) => id === broker.id);
        if (told !== undefined && (await leadsTo(told.address, broker[listener]))) continue;
        const all = served.map(({ id, address }) => `${id} at ${address.host}:${address.port}`).join(', ');
        throw new EnvironmentError(
          'TARGET_MAPPING',
          `${broker.node} should be told at ${broker[listener].host}:${broker[listener].port}, and ${asked.node} tells of ${all}.`,
          {
            hint: 'Let each broker advertise the published address of its own proxy, or its own where it has none, and label it with its own id.',
          },
        );
      }
    }
  }
};

const clusterIdOf = async (
  [first]: readonly BrokerNode[],
  signal: AbortSignal,
): Promise<Pick<ServedCluster, 'clusterId'>> => {
  if (first === undefined) return {};
  const { clusterId } = await servedCluster(first.direct, CALL_DEADLINE_MS, signal);
  return clusterId === undefined ? {} : { clusterId };
};

/** Does something that is worth nothing once a container of the project has ended: that is told as soon as it is seen. */
const whileWhole = async (
  engine: DockerEngine,
  project: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await systemClock.sleep(LOOK_WHOLE_EVERY_MS, over.signal);
      refuseEnded(await readContainers(engine, project, over.signal));
    }
  };
  // After its end, only the end itself can still reach it.
  const watching = watch().catch((thrown: unknown) => over.abort(thrown));
  try {
    await work(AbortSignal.any([signal, over.signal]));
  } catch (thrown) {
    signal.throwIfAborted();
    over.signal.throwIfAborted();
    refuseEnded(await readContainers(engine, project, signal));
    throw thrown;
  } finally {
    over.abort();
    await watching;
  }
};

export interface ComposeCluster extends ComposeMap {
  readonly containers: readonly ContainerFacts[];
  /** Absent where it tells none. */
  readonly clusterId?: string;
}

/** Waits until a project serves, and maps it. */
export const readCluster = async (
  engine: DockerEngine,
  project: string,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<ComposeCluster> => {
  const containers = await readContainers(engine, project, signal);
  if (containers.length === 0) {
    throw new EnvironmentError('TARGET_NO_CONTAINERS', `The compose project "${project}" has no containers.`, {
      hint: 'See `docker ps` for the label com.docker.compose.project, or let ackproof start it (attach: false).',
    });
  }
  nodesOf(containers);
  refuseEnded(containers);
  const toxiproxies = await Promise.all(
    toxiproxiesOf(containers).map(async (each) => ({
      ...each,
      proxies: await readProxies(each.admin, each.container.name, deadlineMs, signal),
    })),
  );
  const map = mapProject(containers, toxiproxies);
  const leadsTo = leadsToPublished(containers);
  await whileWhole(engine, project, signal, async (own) => await awaitServing(map.brokers, own, deadlineMs, leadsTo));
  await refuseMixUp(map.brokers, leadsTo, signal);
  return { ...map, containers, ...(await clusterIdOf(map.brokers, signal)) };
};

/** A broker serves again when its direct listener tells of itself; a controller when its own health check says so. */
export const nodeReady =
  (engine: DockerEngine, brokers: readonly BrokerNode[], deadlineMs: number): NodeReady =>
  async (node, container, signal) => {
    const broker = brokers.find((each) => each.node === node);
    const wait = { awaited: `${node} to serve again`, deadlineMs, everyMs: LOOK_EVERY_MS, signal };
    await waitFor(wait, async () => {
      const now = await engine.inspect(container.id, signal);
      refuseEnded([now]);
      const { health } = now;
      if (broker === undefined) return health === undefined || health === 'healthy' ? done(true) : notYet(health);
      try {
        const served = await servedBrokers(broker.direct, CALL_DEADLINE_MS, signal);
        return served.some(({ id }) => id === broker.id) ? done(true) : notYet('it does not know itself');
      } catch (thrown) {
        signal.throwIfAborted();
        return notYet(describeError(thrown));
      }
    });
  };
