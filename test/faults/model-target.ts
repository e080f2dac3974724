// A small cluster in this process that keeps the contract of a target: three brokers, a controller and an object store that can
// be killed, frozen and started, behind real link proxies. Faults are tested on it in milliseconds; what it does by itself is
// only what faults wait for: leaders move when a broker has been gone for a session.
import { rmSync } from 'node:fs';
import { type RunningProxy, startProxy } from '../../src/embedded/link-proxy/running-proxy.ts';
import { releasePorts } from '../../src/ports.ts';
import type {
  BrokerNode,
  Capabilities,
  Link,
  NodeId,
  NodeState,
  ObjectStoreAccess,
  PathName,
  ProcessControl,
  StartedTarget,
} from '../../src/targets/target.ts';
import type { BrokerId } from '../../src/vocabulary.ts';
import { ModelAdministration } from './model-administration.ts';
import { ModelBroker, type ModelPartition, type ModelState } from './model-broker.ts';
import { modelCommands } from './model-commands.ts';
import { type ContainedNode, ModelContainers } from './model-containers.ts';
import { ModelDisks } from './model-disks.ts';
import { ModelHttpNode } from './model-http-node.ts';
import { endpointsOf, type ModelStoreProxy, startModelStoreProxy } from './model-store-proxy.ts';
import { ModelVolumeNode } from './model-volume-node.ts';

const HOST = '127.0.0.1';
const SESSION_MS = 120;
/** An orderly stop: so many naps of so long. */
const STOP_NAPS = 12;
const NAP_MS = 5;
const BUCKET = 'bucket';
export const TOPIC = 'orders-real';

/**
 * A real broker goes on answering while whoever watches it gets no turn. The model has no process of its own to do so, so its
 * stop is counted in turns of this one and not by a clock alone: however long each takes, a watch gets as many.
 */
const takeTurns = async (): Promise<void> => {
  for (let nap = 0; nap < STOP_NAPS; nap++) await new Promise((done) => setTimeout(done, NAP_MS));
};

interface ModelNode extends ContainedNode {
  readonly ports: readonly number[];
  freeze(): void;
  thaw(): void;
}

export class ModelCluster implements ModelState {
  readonly topics = new Map<string, ModelPartition[]>();
  readonly brokers: readonly ModelBroker[];
  readonly controller = new ModelHttpNode();
  readonly store = new ModelHttpNode();
  readonly volume = new ModelVolumeNode();
  readonly disks: ModelDisks;
  metadataCodeOf?: (broker: number, topic: string) => number;
  inSyncOf?: (partition: ModelPartition) => readonly number[];
  /** Every act on a node, in order: `kill broker/1`. */
  readonly acts: string[] = [];
  readonly administration = new ModelAdministration(this);
  readonly containers = new ModelContainers(() => this.nodes, this.acts, {
    lost: (node) =>
      this.#later(() => {
        if (this.containers.isIsolated(node)) this.#leave(node);
      }),
    back: (node) => this.#join(this.#brokerId(node)),
    end: async (node) => {
      await this.#end('end', node);
    },
    hasProcess: (node) => this.#states.get(node) !== 'stopped',
  });
  readonly #away = new Set<number>();
  readonly #states = new Map<NodeId, NodeState>();
  readonly #pids = new Map<NodeId, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  advertised = new Map<number, number>();
  /** Whether an orderly stop hands leaders over; a broker that does not is what graceful-stop must notice. */
  handsOver = true;
  #nextPid = 1000;

  /** `spares`: brokers that have no process yet, and no part in the cluster. */
  constructor(count: number, spares = 0) {
    this.brokers = Array.from({ length: count + spares }, (_, index) => new ModelBroker(index + 1, this));
    this.disks = new ModelDisks(this.brokers.slice(0, count).map(({ id }) => `broker/${id}`));
    for (const node of this.nodes.keys()) this.#begin(node);
    for (const { id } of this.brokers.slice(count)) {
      this.#states.set(`broker/${id}`, 'stopped');
      this.#away.add(id);
    }
    this.createTopic(TOPIC, 6);
  }

  get nodes(): ReadonlyMap<NodeId, ModelNode> {
    return new Map<NodeId, ModelNode>([
      ...this.brokers.map((broker): [NodeId, ModelNode] => [`broker/${broker.id}`, broker]),
      ['controller/1', this.controller],
      ['object-store', this.store],
      ['volume', this.volume],
    ]);
  }

  registered(): ReturnType<ModelState['registered']> {
    return this.brokers
      .filter(({ id }) => !this.#away.has(id))
      .map(({ id, directPort }) => ({ id, host: HOST, port: this.advertised.get(id) ?? 0, directPort }));
  }

  createTopic(name: string, partitions: number, assigned: readonly (readonly number[])[] = []): void {
    const ids = this.registered().map(({ id }) => id);
    const make = (_: unknown, index: number): ModelPartition => {
      const first = index % ids.length;
      const replicas = assigned[index] ?? [...ids.slice(first), ...ids.slice(0, first)];
      return { leader: replicas[0] ?? -1, epoch: 0, replicas, batches: [] };
    };
    this.topics.set(name, Array.from({ length: partitions }, make));
  }

  async listen(): Promise<void> {
    await Promise.all([...this.nodes.values()].map(async (node) => await node.listen()));
    // Their ports are known from now on.
    const spare = this.brokers.filter(({ id }) => this.#states.get(`broker/${id}`) === 'stopped');
    await Promise.all(spare.map(async (broker) => await broker.die()));
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const alive = [...this.nodes].filter(([node]) => this.#states.get(node) !== 'stopped');
    await Promise.all(alive.map(async ([, node]) => await node.die()));
    this.volume.remove();
    releasePorts([...this.nodes.values()].flatMap((node) => node.ports));
  }

  get control(): ProcessControl {
    return {
      nodes: [...this.nodes.keys()],
      state: async (node) => await Promise.resolve(this.#states.get(node) ?? 'gone'),
      identity: async (node) =>
        await Promise.resolve(
          this.#states.get(node) === 'stopped' ? undefined : { pid: this.#pids.get(node) ?? 0, startedAt: 1 },
        ),
      kill: async (node) => await this.#end('kill', node),
      terminate: async (node) => {
        if (this.handsOver) this.#leave(node);
        await takeTurns();
        await this.#end('terminate', node);
        return { exitCode: 0 };
      },
      pause: async (node) => {
        this.acts.push(`pause ${node}`);
        this.nodes.get(node)?.freeze();
        this.#states.set(node, 'paused');
        this.#later(() => this.#leave(node));
        return await Promise.resolve({ pid: this.#pids.get(node) ?? 0, startedAt: 1 });
      },
      resume: async (node) => {
        this.acts.push(`resume ${node}`);
        this.nodes.get(node)?.thaw();
        this.#states.set(node, 'running');
        this.#away.delete(this.#brokerId(node));
        await Promise.resolve();
      },
      start: async (node) => {
        this.acts.push(`start ${node}`);
        await this.nodes.get(node)?.listen();
        this.#begin(node);
        this.#join(this.#brokerId(node));
        this.disks.rebuild(node);
        return { pid: this.#pids.get(node) ?? 0, startedAt: 1 };
      },
    };
  }

  #begin(node: NodeId): void {
    this.#pids.set(node, ++this.#nextPid);
    this.#states.set(node, 'running');
  }

  /** A broker that comes back takes only what nobody leads. */
  #join(id: number): void {
    this.#away.delete(id);
    if (id === 0) return;
    for (const partition of [...this.topics.values()].flat().filter((each) => each.leader < 0)) {
      partition.leader = id;
      partition.epoch++;
    }
  }

  #brokerId(node: NodeId): number {
    return Number(/^broker\/(\d+)$/.exec(node)?.[1] ?? 0);
  }

  async #end(how: string, node: NodeId): Promise<{ pid: number; startedAt: number }> {
    this.acts.push(`${how} ${node}`);
    const pid = this.#pids.get(node) ?? 0;
    await this.nodes.get(node)?.die();
    this.#states.set(node, 'stopped');
    this.#later(() => {
      if (this.#states.get(node) === 'stopped') this.#leave(node);
    });
    return { pid, startedAt: 1 };
  }

  #later(work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, SESSION_MS);
    this.#timers.add(timer);
  }

  /** The broker is not registered any more and what it led is led by others, in a later epoch. */
  #leave(node: NodeId): void {
    const id = this.#brokerId(node);
    if (id === 0 || this.#away.has(id)) return;
    this.#away.add(id);
    const left = this.registered().map((broker) => broker.id);
    for (const partition of [...this.topics.values()].flat().filter((each) => each.leader === id)) {
      const held = left.filter((broker) => partition.replicas.includes(broker));
      const candidates = held.length === 0 ? left : held;
      partition.leader = candidates[partition.epoch % candidates.length] ?? -1;
      partition.epoch++;
    }
  }
}

const storeAccess = (store: ModelHttpNode): ObjectStoreAccess => {
  const pathOf = (key: string): string => `/${BUCKET}/${key}`;
  return {
    bucket: BUCKET,
    dataPrefix: 'data/',
    walPrefix: 'wal/',
    list: async (prefix) =>
      await Promise.resolve(
        [...store.objects]
          .filter(([path]) => path.startsWith(pathOf(prefix)))
          .map(([path, bytes]) => ({ key: path.slice(pathOf('').length), bytes: bytes.length })),
      ),
    put: async (key, bytes) => {
      store.objects.set(pathOf(key), Buffer.from(bytes));
      await Promise.resolve();
    },
    get: async (key, signal) => {
      const answer = await fetch(`http://${HOST}:${store.port}${pathOf(key)}`, { signal });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return answer.ok ? bytes : undefined;
    },
    remove: async (key) => {
      store.objects.delete(pathOf(key));
      await Promise.resolve();
    },
    describeKey: (key) => {
      const [, topicId = '', partition = '', base = ''] = /^data\/([^/]+)\/(\d+)\/(\d+)$/.exec(key) ?? [];
      const baseOffset = Number(base);
      return topicId === ''
        ? undefined
        : { topicId, partition: Number(partition), baseOffset, endOffset: baseOffset + 10 };
    },
  };
};

const PATHS: readonly PathName[] = ['client', 'controller', 's3-data', 's3-wal', 'wal'];
const SPEAKS: Partial<Record<PathName, Link['speaks']>> = { client: 'kafka', controller: 'http', wal: 'http' };

const upstreamPort = (
  cluster: ModelCluster,
  { listeners }: ModelStoreProxy,
  path: PathName,
  broker: ModelBroker,
): number => {
  if (path === 'client') return broker.clientPort;
  if (path === 'wal') return cluster.volume.port;
  if (path === 'controller') return cluster.controller.port;
  const behind = listeners.find((each) => each.path === path && each.node === `broker/${broker.id}`);
  return behind?.at.port ?? cluster.store.port;
};

/** Between any two brokers, through the listener that clients use. */
const internalLinks = ({ brokers }: ModelCluster): Omit<Link, 'admin' | 'listen'>[] =>
  brokers.flatMap((from) =>
    brokers
      .filter((to) => to !== from)
      .map((to) => ({
        path: 'internal',
        speaks: 'kafka',
        node: `broker/${from.id}`,
        peer: `broker/${to.id}`,
        proxy: `internal-${from.id}-${to.id}`,
        upstream: { host: HOST, port: to.clientPort },
      })),
  );

const linksOf = (cluster: ModelCluster, storeProxy: ModelStoreProxy): Omit<Link, 'admin' | 'listen'>[] => [
  ...internalLinks(cluster),
  ...PATHS.flatMap((path) =>
    cluster.brokers.map((broker) => ({
      path,
      speaks: SPEAKS[path] ?? 's3',
      node: `broker/${broker.id}`,
      proxy: `${path}-broker-${broker.id}`,
      upstream: { host: HOST, port: upstreamPort(cluster, storeProxy, path, broker) },
    })),
  ),
];

export interface ModelTarget extends StartedTarget {
  readonly cluster: ModelCluster;
  readonly storeProxy: ModelStoreProxy['proxy'];
  readonly can: Required<
    Pick<
      Capabilities,
      | 'administration'
      | 'commands'
      | 'processes'
      | 'containers'
      | 'disks'
      | 'links'
      | 'objectStore'
      | 'spares'
      | 'storeProxy'
      | 'volumeIo'
    >
  >;
}

/** Starts the model; dispose it. */
export const startModelTarget = async (brokerCount = 3, spareCount = 1): Promise<ModelTarget> => {
  const cluster = new ModelCluster(brokerCount, spareCount);
  await cluster.listen();
  const storeProxy = await startModelStoreProxy({
    store: { host: HOST, port: cluster.store.port },
    bucket: BUCKET,
    nodes: cluster.brokers.slice(0, brokerCount).map(({ id }) => `broker/${id}`),
  });
  const planned = linksOf(cluster, storeProxy);
  const commands = modelCommands();
  const proxy: RunningProxy = await startProxy({
    proxies: planned.map(({ proxy: name, upstream }) => ({
      name,
      listen: `${HOST}:0`,
      upstream: `${upstream.host}:${upstream.port}`,
      enabled: true,
    })),
  });
  const listenPort = (name: string): number => Number(proxy.listening[name]?.split(':')[1]);
  const all = planned.map((link) => ({
    ...link,
    admin: { host: HOST, port: proxy.apiPort },
    listen: { host: HOST, port: listenPort(link.proxy) },
  }));
  const everyBroker = cluster.brokers.map(
    (broker): BrokerNode => ({
      id: broker.id as BrokerId,
      node: `broker/${broker.id}`,
      advertised: { host: HOST, port: listenPort(`client-broker-${broker.id}`) },
      direct: { host: HOST, port: broker.directPort },
    }),
  );
  const brokers = everyBroker.slice(0, brokerCount);
  const spares = everyBroker.slice(brokerCount);
  cluster.containers.tells = (from, to) =>
    all
      .filter(({ node, peer }) => node === from && peer === to)
      .map(({ proxy: written, listen: { host, port } }) => ({ written, hosts: [host], port }));
  cluster.advertised = new Map(everyBroker.map((broker) => [broker.id, broker.advertised.port]));
  return {
    cluster,
    storeProxy: storeProxy.proxy,
    kind: 'model',
    ephemeral: true,
    profile: 'embedded',
    bootstrap: brokers.map((broker) => broker.advertised),
    evidenceBootstrap: brokers.map((broker) => broker.direct),
    brokers,
    sessionMs: SESSION_MS,
    can: {
      administration: {},
      commands,
      processes: cluster.control,
      disks: cluster.disks,
      containers: cluster.containers,
      links: {
        all: all.filter(({ node, peer }) => !spares.some((spare) => spare.node === node || spare.node === peer)),
      },
      spares: { brokers: spares },
      objectStore: storeAccess(cluster.store),
      storeProxy: { all: endpointsOf(storeProxy, (listener) => ({ host: HOST, port: listenPort(listener) })) },
      volumeIo: { node: 'volume', admin: { host: HOST, port: cluster.volume.port }, isShared: false },
    },
    description: { kind: 'model', name: 'model', fingerprint: {} },
    logs: [],
    casualties: () => [],
    [Symbol.asyncDispose]: async () => {
      await proxy.stop();
      await storeProxy[Symbol.asyncDispose]();
      await cluster.close();
      rmSync(commands.folder, { recursive: true, force: true });
    },
  };
};
