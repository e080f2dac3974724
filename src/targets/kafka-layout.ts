// Where everything of a Kafka cluster of local processes is: ports, files, the configuration of each node and the proxied links.
// Pure, so that the whole topology can be read and tested in one place.
//
// A machine is a broker and a controller of the same number. Each has an address of its own on loopback, 127.0.<number>.1, where
// its proxies listen, and a file of host names that leads every name to it: so the same advertised name takes each machine
// through its own proxy, and every directed path can be broken by itself. The harness uses listeners past all proxies.
import { join } from 'node:path';
import { InternalError } from '../errors.ts';
import type { BrokerId } from '../vocabulary.ts';
import type { Address, BrokerNode, ControllerNode, Link, NodeId, PathName } from './target.ts';
import type { ProcessSpec } from './target-spec.ts';
import { brokerTierSettings, planStorePath, type StorePath, storePortsNeeded, tierSettings } from './tiered-layout.ts';

const HOST = '127.0.0.1';
/** Brokers are 1, 2, …; controllers 101, 102, …, because an id is used once in a cluster. */
const FIRST_CONTROLLER_ID = 101;
const PATHS = ['client', 'internal', 'controller'] as const satisfies readonly PathName[];

/** One node of the cluster: its files, and what it is told. */
export interface PlannedKafkaNode {
  readonly node: NodeId;
  readonly id: number;
  /** The listener that tells whether it serves. */
  readonly direct: Address;
  readonly directory: string;
  readonly logFile: string;
  /** Lines of `server.properties`, in order. */
  readonly properties: Readonly<Record<string, string>>;
  /** Lines of the file that its JVM resolves host names from. */
  readonly hosts: readonly string[];
}

/** One proxy process, in the form of Toxiproxy's API. */
export interface PlannedProxy {
  readonly path: PathName;
  readonly admin: Address;
  readonly logFile: string;
  readonly proxies: readonly { readonly name: string; readonly listen: string; readonly upstream: string }[];
}

export interface KafkaLayout {
  readonly controllers: readonly PlannedKafkaNode[];
  /** The spare ones last. */
  readonly brokers: readonly PlannedKafkaNode[];
  readonly brokerNodes: readonly BrokerNode[];
  readonly spareNodes: readonly BrokerNode[];
  readonly controllerNodes: readonly ControllerNode[];
  readonly proxies: readonly PlannedProxy[];
  readonly links: readonly Link[];
  /** Where segments are copied to; absent without a bucket. */
  readonly storePath?: StorePath;
}

export interface KafkaLayoutOptions {
  readonly spec: ProcessSpec;
  /** At least `kafkaPortsNeeded`, free on every loopback address. */
  readonly ports: readonly number[];
  readonly runDirectory: string;
}

/** Files of the cluster itself, below the run directory. */
export const kafkaDirectory = (runDirectory: string): string => join(runDirectory, 'kafka');

/** The loopback address of machine `number`. */
export const machineHost = (number: number): string => `127.0.${number}.1`;

export const machinesOf = ({ brokers, spareBrokers, controllers }: ProcessSpec): number =>
  Math.max(brokers + spareBrokers, controllers);

export const kafkaPortsNeeded = (spec: ProcessSpec): number =>
  PATHS.length + 5 * (spec.brokers + spec.spareBrokers) + 2 * spec.controllers + storePortsNeeded(spec);

interface Broker {
  readonly number: number;
  readonly node: NodeId;
  readonly internal: Address;
  readonly client: Address;
  readonly direct: Address;
  /** The port of its proxies on every machine. */
  readonly virtualPort: number;
  readonly advertised: Address;
}

interface Controller {
  readonly number: number;
  readonly id: number;
  readonly node: NodeId;
  readonly listener: Address;
  readonly virtualPort: number;
}

interface Topology extends KafkaLayoutOptions {
  readonly admins: ReadonlyMap<PathName, Address>;
  readonly brokers: readonly Broker[];
  readonly controllers: readonly Controller[];
  readonly storePath: StorePath | undefined;
}

const text = ({ host, port }: Address): string => `${host}:${port}`;
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const fileName = (node: NodeId): string => node.replace('/', '-');
const brokerName = (number: number): string => `vb${number}`;
const controllerName = (number: number): string => `vc${number}`;

const planTopology = (options: KafkaLayoutOptions): Topology => {
  const left = [...options.ports];
  const take = (): number => {
    const port = left.shift();
    if (port === undefined)
      throw new InternalError('TARGET_TOO_FEW_PORTS', 'The layout needs more ports than it was given.');
    return port;
  };
  const address = (): Address => ({ host: HOST, port: take() });
  const storePath = planStorePath(options.spec, address);
  const paths: readonly PathName[] = storePath === undefined ? PATHS : [...PATHS, 's3-data'];
  return {
    ...options,
    storePath,
    admins: new Map(paths.map((path) => [path, address()])),
    brokers: upTo(options.spec.brokers + options.spec.spareBrokers).map((number) => ({
      number,
      node: `broker/${number}`,
      internal: address(),
      client: address(),
      direct: address(),
      virtualPort: take(),
      advertised: address(),
    })),
    controllers: upTo(options.spec.controllers).map((number) => ({
      number,
      id: FIRST_CONTROLLER_ID + number - 1,
      node: `controller/${number}`,
      listener: address(),
      virtualPort: take(),
    })),
  };
};

const planLinks = ({ admins, brokers, controllers, spec, storePath }: Topology): readonly Link[] => {
  const link = (
    path: PathName,
    rest: Omit<Link, 'path' | 'speaks' | 'admin'> & Partial<Pick<Link, 'speaks'>>,
  ): Link => {
    const admin = admins.get(path);
    if (admin === undefined) throw new InternalError('TARGET_NO_ADMIN', `No proxy was planned for the path ${path}.`);
    return { path, speaks: 'kafka', admin, ...rest };
  };
  const toBrokers = ({ number, node }: { readonly number: number; readonly node: NodeId }): readonly Link[] =>
    brokers.map((peer) =>
      link('internal', {
        node,
        peer: peer.node,
        proxy: `m${number}-b${peer.number}`,
        listen: { host: machineHost(number), port: peer.virtualPort },
        upstream: peer.internal,
      }),
    );
  const toControllers = (number: number): readonly Link[] =>
    controllers.map((peer) =>
      link('controller', {
        node: number <= brokers.length ? `broker/${number}` : `controller/${number}`,
        peer: peer.node,
        ...(number <= Math.min(brokers.length, controllers.length) && { shared: [`controller/${number}`] }),
        proxy: `m${number}-c${peer.number}`,
        listen: { host: machineHost(number), port: peer.virtualPort },
        upstream: peer.listener,
      }),
    );
  const toStore =
    ({ speaks, upstream, listens }: StorePath) =>
    ({ number, node }: Broker): Link =>
      link('s3-data', { speaks, node, proxy: `s3-b${number}`, listen: listens[number - 1] as Address, upstream });
  return [
    ...brokers.map(({ number, node, advertised, client }) =>
      link('client', { node, proxy: `ext-b${number}`, listen: advertised, upstream: client }),
    ),
    ...brokers.flatMap(toBrokers),
    ...upTo(machinesOf(spec)).flatMap(toControllers),
    ...(storePath === undefined ? [] : brokers.map(toStore(storePath))),
  ];
};

const quorum = ({ controllers }: Topology): Readonly<Record<string, string>> => ({
  'controller.quorum.voters': controllers
    .map(({ id, number, virtualPort }) => `${id}@${controllerName(number)}:${virtualPort}`)
    .join(','),
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT,DIRECT:PLAINTEXT,CONTROLLER:PLAINTEXT',
});

/** What decides how soon a silent broker is given up, in the cluster's own settings. */
const timing = ({ spec }: Topology): Readonly<Record<string, string>> => ({
  'broker.session.timeout.ms': String(spec.sessionTimeout),
  'broker.heartbeat.interval.ms': String(Math.max(100, Math.floor(spec.sessionTimeout / 4))),
});

const planController = (topology: Topology, controller: Controller): PlannedKafkaNode =>
  planNode(topology, controller, controller.listener, {
    'process.roles': 'controller',
    'node.id': String(controller.id),
    ...quorum(topology),
    ...timing(topology),
    listeners: `CONTROLLER://${text(controller.listener)}`,
    ...tierSettings(topology.spec),
  });

const planBroker = (topology: Topology, broker: Broker): PlannedKafkaNode => {
  const { spec } = topology;
  const replicas = String(Math.min(3, spec.brokers));
  return planNode(topology, { ...broker, id: broker.number }, broker.direct, {
    'process.roles': 'broker',
    'node.id': String(broker.number),
    ...quorum(topology),
    ...timing(topology),
    listeners: `INTERNAL://${text(broker.internal)},EXTERNAL://${text(broker.client)},DIRECT://${text(broker.direct)}`,
    'advertised.listeners': [
      `INTERNAL://${brokerName(broker.number)}:${broker.virtualPort}`,
      `EXTERNAL://${text(broker.advertised)}`,
      `DIRECT://${text(broker.direct)}`,
    ].join(','),
    'inter.broker.listener.name': 'INTERNAL',
    'replica.lag.time.max.ms': String(spec.replicaLag),
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '3',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': String(Math.min(2, spec.brokers)),
    'transaction.state.log.num.partitions': '3',
    'group.initial.rebalance.delay.ms': '0',
    'num.network.threads': '2',
    'num.io.threads': '2',
    'log.cleaner.dedupe.buffer.size': '4194304',
    ...brokerTierSettings(spec, topology.storePath, broker.number, kafkaDirectory(topology.runDirectory)),
  });
};

const planNode = (
  { runDirectory, spec, brokers, controllers }: Topology,
  { id, node, number }: { readonly id: number; readonly node: NodeId; readonly number: number },
  direct: Address,
  properties: Readonly<Record<string, string>>,
): PlannedKafkaNode => {
  const directory = join(kafkaDirectory(runDirectory), fileName(node));
  const names = [
    ...brokers.map((each) => brokerName(each.number)),
    ...controllers.map((each) => controllerName(each.number)),
  ];
  return {
    node,
    id,
    direct,
    directory,
    logFile: join(runDirectory, 'logs', `${fileName(node)}.log`),
    properties: { ...properties, 'log.dirs': join(directory, 'data'), ...spec.settings },
    hosts: [`${HOST} localhost`, ...names.map((name) => `${machineHost(number)} ${name}`)],
  };
};

const planProxies = ({ admins, runDirectory }: Topology, links: readonly Link[]): readonly PlannedProxy[] =>
  [...admins].map(([path, admin]) => ({
    path,
    admin,
    logFile: join(runDirectory, 'logs', `proxy-${path}.log`),
    proxies: links
      .filter((link) => link.path === path)
      .map(({ proxy, listen, upstream }) => ({ name: proxy, listen: text(listen), upstream: text(upstream) })),
  }));

/** What a spare broker dials, or is dialled by, carries nothing: it is no path that a fault could show anything on. */
const isOfMembers =
  (spares: readonly BrokerNode[]) =>
  ({ node, peer }: Link): boolean =>
    !spares.some((spare) => spare.node === node || spare.node === peer);

/** The topology for `spec`, on the given ports. */
export const planKafka = (options: KafkaLayoutOptions): KafkaLayout => {
  const topology = planTopology(options);
  const links = planLinks(topology);
  const nodes = topology.brokers.map(({ number, node, advertised, direct }) => ({
    id: number as BrokerId,
    node,
    advertised,
    direct,
  }));
  return {
    controllers: topology.controllers.map((controller) => planController(topology, controller)),
    brokers: topology.brokers.map((broker) => planBroker(topology, broker)),
    brokerNodes: nodes.slice(0, options.spec.brokers),
    spareNodes: nodes.slice(options.spec.brokers),
    controllerNodes: topology.controllers.map(({ id, node, listener }) => ({ id, node, direct: listener })),
    proxies: planProxies(topology, links),
    links: links.filter(isOfMembers(nodes.slice(options.spec.brokers))),
    ...(topology.storePath !== undefined && { storePath: topology.storePath }),
  };
};
