// Where everything of an embedded cluster is: ports, files, the configuration of each program and the proxied links. Pure, so
// that the whole topology can be read and tested in one place. Brokers reach everything through a link proxy of their own
// path, and the object store through a listener of the S3 fault proxy behind it; the harness reaches everything by listeners that no
// proxy stands in front of.
import { join } from 'node:path';
import { InternalError } from '../errors.ts';
import type { BrokerId, WalKind } from '../vocabulary.ts';
import type { Address, BrokerNode, Link, LinkProtocol, NodeId, PathName, StoreEndpoint } from './target.ts';
import { type EmbeddedSpec, walPath } from './target-spec.ts';

export const BUCKET = 'ackproof';
export const DATA_PREFIX = 'data/';
export const WAL_PREFIX = 'wal/';
const HOST = '127.0.0.1';
const CONTROLLER_ID = 1;
const CONTROLLER: NodeId = `controller/${CONTROLLER_ID}`;
const OBJECT_STORE: NodeId = 'object-store';
const VOLUME: NodeId = 'volume';
const STORE_PROXY: NodeId = 's3-proxy';

/** One program of the cluster and what it is told. */
export interface PlannedNode {
  readonly node: NodeId;
  readonly program: EmbeddedProgram;
  readonly config: Readonly<Record<string, unknown>>;
  readonly logFile: string;
}

/** Entry files below `src/`, without their suffix. */
export type EmbeddedProgram =
  | 'embedded/broker/broker-program'
  | 'embedded/controller/controller-program'
  | 'embedded/link-proxy/link-proxy-program'
  | 'embedded/object-store/object-store-program'
  | 'embedded/volume/volume-program'
  | 's3-proxy/s3-proxy-program';

export interface StoreListeners {
  readonly data: Address;
  readonly wal: Address;
  readonly direct: Address;
  readonly admin: Address;
}

export interface EmbeddedLayout {
  readonly store: PlannedNode;
  /** Serves the write-ahead log where that is not in the object store. */
  readonly volume?: PlannedNode;
  readonly storeProxy: PlannedNode;
  /** Where that one listens, past its proxies. */
  readonly volumeAdmin?: Address;
  readonly proxies: readonly PlannedNode[];
  /** The control API of each, in the same order. */
  readonly proxyAdmins: readonly Address[];
  readonly controller: PlannedNode;
  readonly brokers: readonly PlannedNode[];
  readonly brokerNodes: readonly BrokerNode[];
  /** Admin listener of each broker, in the order of `brokerNodes`. */
  readonly brokerAdmins: readonly Address[];
  readonly storeListeners: StoreListeners;
  /** The object store's own record of what it was asked, a file. */
  readonly requestLog: string;
  readonly links: readonly Link[];
  readonly storeEndpoints: readonly StoreEndpoint[];
}

export interface LayoutOptions {
  readonly spec: EmbeddedSpec;
  readonly ports: readonly number[];
  readonly clusterId: string;
  readonly runDirectory: string;
  readonly defects: readonly string[];
}

const pathsOf = (wal: WalKind): readonly PathName[] => ['client', 'controller', 's3-data', walPath(wal)];

const isStorePath = (path: PathName): path is StoreEndpoint['path'] => path === 's3-data' || path === 's3-wal';

/**
 * How many ports a cluster needs: of store, proxies, controller, brokers, links, the S3 fault proxy with a listener behind each link
 * to the store, and the volume where there is one.
 */
export const portsNeeded = ({ brokers, wal }: Pick<EmbeddedSpec, 'brokers' | 'wal'>): number => {
  const paths = pathsOf(wal);
  const storePaths = paths.filter(isStorePath).length;
  const links = paths.length * brokers + 1;
  return 4 + paths.length + 1 + 3 * brokers + links + 1 + (storePaths * brokers + 1) + (wal === 's3' ? 0 : 1);
};

/** The cluster's own folder in the run directory. */
export const embeddedDirectory = (runDirectory: string): string => join(runDirectory, 'embedded');

const portTaker = (ports: readonly number[]): (() => Address) => {
  let next = 0;
  return () => {
    const port = ports[next++];
    if (port === undefined)
      throw new InternalError('TARGET_TOO_FEW_PORTS', 'The layout needs more ports than it was given.');
    return { host: HOST, port };
  };
};

interface Broker {
  readonly id: BrokerId;
  readonly node: NodeId;
  readonly client: Address;
  readonly direct: Address;
  readonly admin: Address;
}

const planBrokers = (count: number, take: () => Address): readonly Broker[] =>
  Array.from({ length: count }, (_, index) => ({
    id: (index + 1) as BrokerId,
    node: `broker/${index + 1}`,
    client: take(),
    direct: take(),
    admin: take(),
  }));

/** Controller and volume are asked by HTTP. */
const protocolOf = (path: PathName): LinkProtocol => {
  if (path === 'client') return 'kafka';
  return path === 'controller' || path === 'wal' ? 'http' : 's3';
};

const nameOf = (path: PathName, node: NodeId): string => `${path}-${node.replace('/', '-')}`;

const planLinks = (
  { brokers, store, controller, admins, volume }: Omit<Topology, 'links'>,
  take: () => Address,
): readonly Link[] => {
  const link = (path: PathName, node: NodeId, upstream: Address, peer?: NodeId): Link => ({
    path,
    speaks: protocolOf(path),
    node,
    ...(peer !== undefined && { peer }),
    admin: admins.get(path) as Address,
    proxy: nameOf(path, node),
    listen: take(),
    upstream: isStorePath(path) ? take() : upstream,
  });
  return [
    ...brokers.map((broker) => link('client', broker.node, broker.client)),
    ...brokers.map((broker) => link('controller', broker.node, controller, CONTROLLER)),
    ...brokers.map((broker) => link('s3-data', broker.node, store.data)),
    ...(volume === undefined
      ? [...brokers.map((broker) => link('s3-wal', broker.node, store.wal)), link('s3-wal', CONTROLLER, store.wal)]
      : [...brokers.map((broker) => link('wal', broker.node, volume)), link('s3-data', CONTROLLER, store.data)]),
  ];
};

/** Everything that is known once ports are given out; the configurations are written from it. */
interface Topology extends LayoutOptions {
  readonly store: StoreListeners;
  readonly admins: ReadonlyMap<PathName, Address>;
  /** Admin API of the S3 fault proxy. */
  readonly storeProxyAdmin: Address;
  readonly controller: Address;
  readonly brokers: readonly Broker[];
  readonly volume: Address | undefined;
  readonly links: readonly Link[];
}

const planTopology = (options: LayoutOptions): Topology => {
  const take = portTaker(options.ports);
  const store: StoreListeners = { data: take(), wal: take(), direct: take(), admin: take() };
  const admins = new Map(pathsOf(options.spec.wal).map((path) => [path, take()]));
  const storeProxyAdmin = take();
  const controller = take();
  const brokers = planBrokers(options.spec.brokers, take);
  const volume = options.spec.wal === 's3' ? undefined : take();
  const topology = { ...options, store, admins, storeProxyAdmin, controller, brokers, volume };
  return { ...topology, links: planLinks(topology, take) };
};

/** Fence, index and the controller's state stand in the object store; by which path, is the write-ahead log's affair. */
const metaPath = ({ volume }: Topology): PathName => (volume === undefined ? 's3-wal' : 's3-data');

/** Where a node dials, or is dialled, to take `path`: its proxy. */
const through = ({ links }: Topology, path: PathName, node: NodeId): Address => {
  const found = links.find((link) => link.path === path && link.node === node);
  if (found === undefined) throw new InternalError('TARGET_NO_LINK', `No ${path} link was planned for ${node}.`);
  return found.listen;
};

const plan = (
  { runDirectory }: Topology,
  node: NodeId,
  program: EmbeddedProgram,
  config: Readonly<Record<string, unknown>>,
): PlannedNode => ({
  node,
  program,
  config: { exitOnStdinClose: true, ...config },
  logFile: join(runDirectory, 'logs', `${node.replace('/', '-')}.log`),
});

const requestLogOf = (runDirectory: string): string => join(embeddedDirectory(runDirectory), 'store-requests.ndjson');

const planStore = (topology: Topology): PlannedNode =>
  plan(topology, OBJECT_STORE, 'embedded/object-store/object-store-program', {
    directory: join(embeddedDirectory(topology.runDirectory), 'objects'),
    requestLog: requestLogOf(topology.runDirectory),
    buckets: [BUCKET],
    host: HOST,
    listeners: (['data', 'wal', 'direct'] as const).map((name) => ({ name, port: topology.store[name].port })),
    adminPort: topology.store.admin.port,
  });

/** Links to the store lead to the S3 fault proxy: one listener behind each, named as the link is. */
const storeLinks = ({ links }: Topology): readonly (Link & { readonly path: StoreEndpoint['path'] })[] =>
  links.filter((link): link is Link & { readonly path: StoreEndpoint['path'] } => isStorePath(link.path));

const planStoreProxy = (topology: Topology): PlannedNode =>
  plan(topology, STORE_PROXY, 's3-proxy/s3-proxy-program', {
    admin: topology.storeProxyAdmin,
    listeners: storeLinks(topology).map(({ path, proxy, upstream }) => ({
      name: proxy,
      ...upstream,
      upstream: { protocol: 'http', ...(path === 's3-data' ? topology.store.data : topology.store.wal) },
    })),
  });

const storeEndpoints = (topology: Topology): readonly StoreEndpoint[] =>
  storeLinks(topology).map(({ path, node, proxy, listen }) => ({
    path,
    node,
    admin: topology.storeProxyAdmin,
    listener: proxy,
    listen,
  }));

/** The proxies of one path in the form of Toxiproxy's API. */
const planProxy = (topology: Topology, path: PathName): PlannedNode =>
  plan(topology, `link-proxy/${path}`, 'embedded/link-proxy/link-proxy-program', {
    host: HOST,
    apiPort: topology.admins.get(path)?.port,
    proxies: topology.links
      .filter((link) => link.path === path)
      .map((link) => ({
        name: link.proxy,
        listen: `${link.listen.host}:${link.listen.port}`,
        upstream: `${link.upstream.host}:${link.upstream.port}`,
        enabled: true,
      })),
  });

const planVolume = (topology: Topology, listen: Address): PlannedNode =>
  plan(topology, VOLUME, 'embedded/volume/volume-program', {
    directory: join(embeddedDirectory(topology.runDirectory), 'volume'),
    ...listen,
  });

const planController = (topology: Topology): PlannedNode =>
  plan(topology, CONTROLLER, 'embedded/controller/controller-program', {
    clusterId: topology.clusterId,
    controllerId: CONTROLLER_ID,
    ...topology.controller,
    store: through(topology, metaPath(topology), CONTROLLER),
    bucket: BUCKET,
    sessionTimeoutMs: topology.spec.sessionTimeout,
    heartbeatMs: topology.spec.heartbeat,
    expectedBrokers: topology.spec.brokers,
  });

const planBroker = (topology: Topology, broker: Broker): PlannedNode => {
  const advertised = through(topology, 'client', broker.node);
  const { wal: walKind } = topology.spec;
  return plan(topology, broker.node, 'embedded/broker/broker-program', {
    clusterId: topology.clusterId,
    brokerId: broker.id,
    client: { ...broker.client, advertisedHost: advertised.host, advertisedPort: advertised.port },
    direct: broker.direct,
    admin: broker.admin,
    controller: through(topology, 'controller', broker.node),
    stores: {
      meta: through(topology, metaPath(topology), broker.node),
      wal: through(topology, walPath(walKind), broker.node),
      walKind,
      data: through(topology, 's3-data', broker.node),
      bucket: BUCKET,
    },
    heartbeatMs: topology.spec.heartbeat,
    sessionTimeoutMs: topology.spec.sessionTimeout,
    uploadIntervalMs: topology.spec.uploadInterval,
    defects: topology.defects,
  });
};

/** The topology for `spec`, on the given ports (at least `portsNeeded`). */
export const planEmbedded = (options: LayoutOptions): EmbeddedLayout => {
  const topology = planTopology(options);
  return {
    storeListeners: topology.store,
    requestLog: requestLogOf(options.runDirectory),
    links: topology.links,
    storeEndpoints: storeEndpoints(topology),
    brokerNodes: topology.brokers.map(({ id, node, direct }) => ({
      id,
      node,
      advertised: through(topology, 'client', node),
      direct,
    })),
    brokerAdmins: topology.brokers.map((broker) => broker.admin),
    store: planStore(topology),
    ...(topology.volume !== undefined && {
      volume: planVolume(topology, topology.volume),
      volumeAdmin: topology.volume,
    }),
    storeProxy: planStoreProxy(topology),
    proxies: pathsOf(options.spec.wal).map((path) => planProxy(topology, path)),
    proxyAdmins: pathsOf(options.spec.wal).flatMap((path) => topology.admins.get(path) ?? []),
    controller: planController(topology),
    brokers: topology.brokers.map((broker) => planBroker(topology, broker)),
  };
};
