// The compose target: a project of Docker Compose that is started for the run, or one that runs already. Compose itself only
// brings it up and takes it down; containers are found by labels and acted on through the engine.
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AckproofError, EnvironmentError } from '../errors.ts';
import { type ComposeCluster, nodeReady, projectLabels, readCluster, readContainers } from './compose-cluster.ts';
import { type ComposeCommand, type ComposeProject, findCompose } from './compose-command.ts';
import { NODE_LABEL, PATH_LABEL } from './compose-map.ts';
import { restartToxiproxy, toxiproxyAt } from './compose-restart.ts';
import { ContainerDisks } from './container-disks.ts';
import { type ContainerEdge, ContainerEdges, type EdgeGap } from './container-edges.ts';
import type { ContainerFacts } from './container-facts.ts';
import { ContainerLog } from './container-log.ts';
import { ContainerNodes } from './container-nodes.ts';
import { ContainerRoster } from './container-roster.ts';
import { dockerEndpoint } from './docker-endpoint.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { NodeContainers } from './node-containers.ts';
import { lockProject, unlockProjects } from './project-lock.ts';
import type { Address, Capabilities, ControllerNode, NodeId, StartedTarget, StartOptions } from './target.ts';
import type { ComposeSpec } from './target-spec.ts';

const DOWN_DEADLINE_MS = 120_000;
/** Kafka's own default, where a project does not say. */
const SESSION_MS = 9_000;

/** The compose file that ackproof brings along, beside `dist` and `src`. */
const ownFile = (): string =>
  fileURLToPath(
    new URL(`${import.meta.url.endsWith('.ts') ? '../../' : '../../../'}docker-compose.yml`, import.meta.url),
  );

/** What a container is called in the run: its node, or the path it proxies. */
const partOf = ({ labels, name }: ContainerFacts): string => {
  const path = labels[PATH_LABEL];
  return labels[NODE_LABEL] ?? (path === undefined ? name : `toxiproxy/${path}`);
};

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

/** Logs and edges of all containers of a project, written into the run directory as they come. */
class ComposeWatch implements AsyncDisposable {
  readonly logs: readonly { readonly node: NodeId; readonly file: string }[];
  readonly edgesFile: string;
  /** Nodes and proxies that ended although we did not end them. */
  readonly casualties = new Set<NodeId>();
  readonly #parts: Map<string, { readonly part: NodeId; readonly log: ContainerLog }>;
  /** Proxies that hung, and that we ended and started again. */
  readonly restarted: NodeId[] = [];
  /** Whether we end it; nobody does before there is somebody to do it. */
  isOurs: (part: NodeId) => boolean = () => false;
  #edges: ContainerEdges | undefined;
  readonly #told: { readonly part: NodeId; readonly action: string; readonly wallMs: number }[] = [];

  constructor(engine: DockerEngine, containers: readonly ContainerFacts[], runDirectory: string) {
    const folder = join(runDirectory, 'logs');
    mkdirSync(folder, { recursive: true });
    const parts = containers.map((container) => {
      const part = partOf(container);
      return { part, id: container.id, file: join(folder, `${part.replaceAll('/', '-')}.log`) };
    });
    this.logs = parts.map(({ part, file }) => ({ node: part, file }));
    this.edgesFile = join(folder, 'containers.ndjson');
    this.#parts = new Map(parts.map(({ part, id, file }) => [id, { part, log: new ContainerLog(engine, id, file) }]));
  }

  /** A part is another container from now on, whose log goes on in the same file. */
  moved(engine: DockerEngine, part: NodeId, id: string): void {
    const file = this.logs.find(({ node }) => node === part)?.file;
    if (file !== undefined) this.#parts.set(id, { part, log: new ContainerLog(engine, id, file) });
  }

  async start(engine: DockerEngine, project: string, sinceMs: number): Promise<void> {
    this.#edges = await ContainerEdges.open(engine, projectLabels(project), (edge) => this.#take(edge));
    await Promise.all([...this.#parts.values()].map(async ({ log }) => await log.follow(sinceMs)));
  }

  hasTold(part: NodeId, action: string, sinceMs: number): boolean {
    return this.#told.some((edge) => edge.part === part && edge.action === action && edge.wallMs >= sinceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#edges?.[Symbol.asyncDispose]();
    await Promise.all([...this.#parts.values()].map(async ({ log }) => await log[Symbol.asyncDispose]()));
  }

  #take(edge: ContainerEdge | EdgeGap): void {
    const found = 'id' in edge ? this.#parts.get(edge.id) : undefined;
    // Health checks run a program in each container every few seconds; these edges would hide all others.
    if ('id' in edge && edge.action.startsWith('exec_')) return;
    appendFileSync(this.edgesFile, `${JSON.stringify(found === undefined ? edge : { part: found.part, ...edge })}\n`);
    if (found === undefined || !('id' in edge)) return;
    this.#told.push({ part: found.part, action: edge.action, wallMs: edge.wallMs });
    if (edge.action === 'die' && !this.isOurs(found.part)) this.casualties.add(found.part);
    if (edge.action === 'start') void found.log.follow(edge.wallMs);
  }
}

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
  { links, containers }: ComposeCluster,
  { engine, roster, nodes, watch, runId }: Hands,
): Capabilities => ({
  administration: {},
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
  disks: new ContainerDisks(engine, roster, runId, (node, id) => watch.moved(engine, node, id)),
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
  const file = spec.file === undefined ? ownFile() : resolve(spec.file);
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
    await watch.start(engine, spec.project, Math.min(...containers.map(({ startedAtMs }) => startedAtMs)));
    const cluster = await readCluster(engine, spec.project, spec.startTimeout, signal);
    const roster = new ContainerRoster(cluster.nodes);
    const nodes = new ContainerNodes(engine, roster, nodeReady(engine, cluster.brokers, spec.startTimeout));
    const { restarted } = watch;
    watch.isOurs = (part) => nodes.isEndedByUs(part) || restarted.includes(part);
    return { ...describe(spec, cluster, { engine, roster, nodes, watch, runId }), [Symbol.asyncDispose]: end };
  } catch (thrown) {
    await dispose().catch((second: unknown) => attachTo(thrown, second));
    await unlock().catch((second: unknown) => attachTo(thrown, second));
    throw thrown;
  }
};
