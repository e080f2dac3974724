// The compose target: a project of Docker Compose that is started for the run, or one that runs already. Compose itself only
// brings it up and takes it down; containers are found by labels and acted on through the engine.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { AckproofError, EnvironmentError } from '../errors.ts';
import { type ComposeCluster, nodeReady, readCluster, readContainers } from './compose-cluster.ts';
import { type ComposeCommand, type ComposeProject, findCompose } from './compose-command.ts';
import { NODE_LABEL } from './compose-map.ts';
import { restartToxiproxy, toxiproxyAt } from './compose-restart.ts';
import { ComposeWatch, partOf } from './compose-watch.ts';
import { ContainerDisks } from './container-disks.ts';
import type { ContainerFacts } from './container-facts.ts';
import { ContainerNodes } from './container-nodes.ts';
import { ContainerRoster } from './container-roster.ts';
import { dockerEndpoint } from './docker-endpoint.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { NodeContainers } from './node-containers.ts';
import { lockProject, unlockProjects } from './project-lock.ts';
import { shippedFile } from './shipped-file.ts';
import type { Address, Capabilities, ControllerNode, StartedTarget, StartOptions } from './target.ts';
import type { ComposeSpec } from './target-spec.ts';

const DOWN_DEADLINE_MS = 120_000;
/** Kafka's own default, where a project does not say. */
const SESSION_MS = 9_000;

const sessionMsOf = (containers: readonly ContainerFacts[]): number => {
  const written = containers.map(({ environment }) => Number(environment['KAFKA_BROKER_SESSION_TIMEOUT_MS']));
  return written.find((ms) => Number.isSafeInteger(ms) && ms > 0) ?? SESSION_MS;
};

/** Settings that differ between nodes of one cluster, or between two runs of it. */
const OWN_SETTINGS = new Set(['KAFKA_NODE_ID', 'KAFKA_ADVERTISED_LISTENERS']);

/** One short word for all of Kafka's settings together. */
const settingsDigest = (containers: readonly ContainerFacts[]): string => {
  const settings = containers
    .filter(({ labels }) => labels[NODE_LABEL] !== undefined)
    .map(({ labels, environment }) => [
      labels[NODE_LABEL],
      Object.entries(environment)
        .filter(([name]) => name.startsWith('KAFKA_') && !OWN_SETTINGS.has(name))
        .sort(),
    ])
    .sort();
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 12);
};

/** Where a controller listens by its own settings, in the first of its networks. */
const ownListener = ({ environment, networks }: ContainerFacts): Address | undefined => {
  const name = environment['KAFKA_CONTROLLER_LISTENER_NAMES']?.split(',')[0] ?? 'CONTROLLER';
  const listener = environment['KAFKA_LISTENERS']?.split(',').find((each) => each.startsWith(`${name}://`));
  const host = networks.find(({ address }) => address !== '')?.address;
  const port = Number(listener?.split(':').at(-1));
  return host === undefined || !(port > 0) ? undefined : { host, port };
};

/** Controllers with an id and an address at which proxies, or others, reach them, as it was when the target started. */
const controllersOf = ({ nodes, links, containers }: ComposeCluster): readonly ControllerNode[] =>
  nodes.flatMap(({ node, id: containerId }) => {
    const container = containers.find((each) => each.id === containerId);
    if (container === undefined || !node.startsWith('controller/')) return [];
    const id = Number(container.environment['KAFKA_NODE_ID']);
    const dialled = links.find(({ path, peer }) => path === 'controller' && peer === node)?.upstream;
    const direct = dialled ?? ownListener(container);
    return direct === undefined || !Number.isSafeInteger(id) ? [] : [{ id, node, direct }];
  });

const fingerprintOf = (
  spec: ComposeSpec,
  { containers, brokers, nodes }: ComposeCluster,
  engine: DockerEngine,
): Readonly<Record<string, string>> => {
  const images = [...new Set(containers.map(({ image, imageId }) => `${image} ${imageId.slice(0, 19)}`))].sort();
  return {
    brokers: String(brokers.length),
    controllers: String(nodes.length - brokers.length),
    images: images.join(', '),
    settings: settingsDigest(containers),
    sessionTimeoutMs: String(sessionMsOf(containers)),
    engine: `${engine.version.engine} (API ${engine.version.api}, ${engine.version.system})`,
    compose: containers[0]?.labels['com.docker.compose.version'] ?? 'unknown',
    project: spec.project,
    node: process.version,
  };
};

/** Whoever acts on the containers of a started project, and whoever watches them. */
interface Hands {
  readonly engine: DockerEngine;
  readonly roster: ContainerRoster;
  readonly nodes: ContainerNodes;
  readonly watch: ComposeWatch;
  readonly runId: string;
}

const capabilitiesOf = (
  { helperImage, attach }: ComposeSpec,
  { links, clusterId, containers }: ComposeCluster,
  { engine, roster, nodes, watch, runId }: Hands,
): Capabilities => ({
  administration: clusterId === undefined ? {} : { clusterId },
  processes: nodes,
  containers: new NodeContainers(
    engine,
    roster,
    {
      hasTold: (node, action, sinceMs) => watch.hasTold(node, action, sinceMs),
      expectEnd: (node, isExpected) => nodes.expectEnd(node, isExpected),
    },
    helperImage,
  ),
  disks: new ContainerDisks(engine, roster, runId, (node, id) => watch.moved(node, id)),
  links: attach
    ? { all: links }
    : { all: links, restart: async (admin) => await restartProxy(containers, engine, watch, admin) },
});

/** Its end is our doing, and told as such. */
const restartProxy = async (
  containers: readonly ContainerFacts[],
  engine: DockerEngine,
  watch: ComposeWatch,
  admin: Address,
): Promise<void> => {
  const container = toxiproxyAt(containers, admin);
  watch.restarted.push(partOf(container));
  await restartToxiproxy(engine, container, admin);
};

const describe = (
  spec: ComposeSpec,
  cluster: ComposeCluster,
  hands: Hands,
): Omit<StartedTarget, typeof Symbol.asyncDispose> => ({
  kind: 'compose',
  ephemeral: !spec.attach,
  // The image of Apache Kafka gives every cluster the same id, unless it is told another.
  lockedAs: `compose-${spec.project}`,
  profile: spec.profile,
  bootstrap: cluster.brokers.map(({ advertised }) => advertised),
  evidenceBootstrap: cluster.brokers.map(({ direct }) => direct),
  brokers: cluster.brokers,
  controllers: controllersOf(cluster),
  sessionMs: sessionMsOf(cluster.containers),
  can: capabilitiesOf(spec, cluster, hands),
  description: { kind: 'compose', name: spec.name, fingerprint: fingerprintOf(spec, cluster, hands.engine) },
  logs: hands.watch.logs,
  casualties: () => [...hands.watch.casualties],
  unwatched: () => hands.watch.unwatched,
  restartedProxies: () => hands.watch.restarted,
});

/** Brings the project up, unless it is somebody else's; returns how it is taken down again. */
const bringUp = async (
  spec: ComposeSpec,
  project: ComposeProject,
  engine: DockerEngine,
  signal: AbortSignal,
): Promise<() => Promise<void>> => {
  if (spec.attach) return async () => await Promise.resolve();
  const there = await readContainers(engine, spec.project, signal);
  if (there.length > 0) {
    throw new EnvironmentError(
      'TARGET_PROJECT_EXISTS',
      `The compose project "${spec.project}" has ${there.length} containers already, so it is not started a second time.`,
      { hint: `Take it down (docker compose -p ${spec.project} down -v), or use it as it is with attach: true.` },
    );
  }
  const compose: ComposeCommand = await findCompose(signal);
  const takeDown = async (): Promise<void> =>
    await compose.run(project, ['down', '--volumes', '--remove-orphans', '--timeout', '3'], DOWN_DEADLINE_MS);
  try {
    await compose.run(project, ['up', '--detach'], spec.startTimeout, signal);
    return takeDown;
  } catch (thrown) {
    await takeDown().catch((second: unknown) => attachTo(thrown, second));
    throw thrown;
  }
};

const attachTo = (first: unknown, second: unknown): void => {
  if (first instanceof AckproofError) first.attached.push(second);
};

/**
 * Starts the project, or attaches to it, and returns once every broker serves through its own proxy.
 * @throws EnvironmentError that says what is missing, did not start or does not map one to one.
 */
export const startCompose = async (spec: ComposeSpec, options: StartOptions): Promise<StartedTarget> => {
  const { runId, runDirectory, signal } = options;
  const endpoint = dockerEndpoint();
  const engine = await openDockerEngine(endpoint, signal);
  const file =
    spec.file === undefined ? shippedFile('docker-compose.yml') : resolve(options.specFolder ?? '.', spec.file);
  const project = { project: spec.project, file, runId, endpoint };
  await lockProject(engine, spec.project, runId, signal);
  const unlock = async (): Promise<void> => await unlockProjects(engine, runId);
  const takeDown = await bringUp(spec, project, engine, signal).catch(async (thrown: unknown) => {
    await unlock().catch((second: unknown) => attachTo(thrown, second));
    throw thrown;
  });
  let watch: ComposeWatch | undefined;
  const dispose = async (): Promise<void> => {
    await watch?.[Symbol.asyncDispose]();
    await takeDown();
  };
  // What is somebody else's stays locked until the run is forgotten: something of it may be left.
  const end = async (): Promise<void> => {
    await dispose();
    if (!spec.attach) await unlock();
  };
  try {
    const containers = await readContainers(engine, spec.project, signal);
    watch = new ComposeWatch(engine, containers, runDirectory);
    await watch.start(spec.project, Math.min(...containers.map(({ startedAtMs }) => startedAtMs)));
    const cluster = await readCluster(engine, spec.project, spec.startTimeout, signal);
    const roster = new ContainerRoster(cluster.nodes);
    const nodes = new ContainerNodes(engine, roster, nodeReady(engine, cluster.brokers, spec.startTimeout));
    const { restarted } = watch;
    watch.owner = {
      isEndedByUs: (part, atMs) => nodes.isEndedByUs(part, atMs) || restarted.includes(part),
      isStartedByUs: (part, atMs) => nodes.isStartedByUs(part, atMs) || restarted.includes(part),
    };
    return { ...describe(spec, cluster, { engine, roster, nodes, watch, runId }), [Symbol.asyncDispose]: end };
  } catch (thrown) {
    await dispose().catch((second: unknown) => attachTo(thrown, second));
    await unlock().catch((second: unknown) => attachTo(thrown, second));
    throw thrown;
  }
};
