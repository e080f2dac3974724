// The process target: Apache Kafka itself, controllers and brokers as Java processes of this machine, every directed path between
// them and to clients through a proxy of its own. Each process carries the run's id in its environment, by which the watchdog
// ends it when the run dies.
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { AckproofError, describeError, EnvironmentError } from '../errors.ts';
import { releasePorts } from '../ports.ts';
import { freshUuid } from '../random.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import { Connection } from '../wire/connection.ts';
import { raiseFeatures } from '../wire/feature-updates.ts';
import { freePorts } from './free-ports.ts';
import { formatDisk, kafkaDisks } from './kafka-disks.ts';
import { defaultFeatures } from './kafka-features.ts';
import { findKafka, type KafkaHome } from './kafka-home.ts';
import {
  type KafkaLayout,
  kafkaDirectory,
  kafkaPortsNeeded,
  machineHost,
  machinesOf,
  type PlannedKafkaNode,
  type PlannedProxy,
  planKafka,
} from './kafka-layout.ts';
import { NodeProcess } from './node-process.ts';
import { processControl } from './node-processes.ts';
import { disposeTogether, startTogether } from './process-set.ts';
import { nodeProgram } from './program-files.ts';
import { awaitServing } from './proxied-readiness.ts';
import { ProxyRestarts } from './proxy-restart.ts';
import type { Capabilities, NodeDisks, StartedTarget, StartOptions } from './target.ts';
import type { ProcessSpec } from './target-spec.ts';
import { tieredCooling } from './tiered-cooling.ts';
import { findTieredJars } from './tiered-jars.ts';
import { describeTiers } from './tiered-spec.ts';
import { ownStoreProcess, type StoreLogin, storeLogin, tieredStorageFacts, tieredStoreAccess } from './tiered-store.ts';
import { findToxiproxy, type ToxiproxyProgram, toxiproxyNode, writeToxiproxyConfig } from './toxiproxy-server.ts';
import { done, notYet } from './wait-for.ts';

const HOST = '127.0.0.1';
const READY_WITHIN_MS = 90_000;
const SERVING_WITHIN_MS = 60_000;
const ASK_MS = 1000;
const FEATURES_WITHIN_MS = 30_000;

/** Only Linux answers for all of 127.0.0.0/8 without being told to. */
const assertMachineAddresses = async (spec: ProcessSpec): Promise<void> => {
  for (let number = 1; number <= machinesOf(spec); number++) {
    const host = machineHost(number);
    await new Promise<void>((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(0, host, () => server.close(() => resolve()));
    }).catch((cause: unknown) => {
      throw new EnvironmentError('TARGET_NO_LOOPBACK', `Nothing can listen on ${host}: ${describeError(cause)}`, {
        hint: `Give the loopback interface that address (on macOS: ifconfig lo0 alias ${host}), or use the target compose.`,
        cause,
      });
    });
  }
};

const lines = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const LOG_SETTINGS = {
  status: 'error',
  'rootLogger.level': 'info',
  'rootLogger.appenderRef.stdout.ref': 'STDOUT',
  'appender.stdout.type': 'Console',
  'appender.stdout.name': 'STDOUT',
  'appender.stdout.layout.type': 'PatternLayout',
  'appender.stdout.layout.pattern': '[%d{ISO8601}] %p %m (%c)%n',
};

/** What a node finds when it starts for the first time. */
const writeFiles = async (planned: PlannedKafkaNode, clusterId: string): Promise<void> => {
  const { directory, properties, hosts } = planned;
  await formatDisk(planned, clusterId);
  await Promise.all([
    writeFile(join(directory, 'server.properties'), lines(properties)),
    writeFile(join(directory, 'log4j2.properties'), lines(LOG_SETTINGS)),
    writeFile(join(directory, 'hosts'), `${hosts.join('\n')}\n`),
  ]);
};

/** What every node of the cluster is run with. */
interface Runtime {
  readonly home: KafkaHome;
  /** Of a storage manager for tiers. */
  readonly jars: readonly string[];
  readonly login: StoreLogin | undefined;
}

const kafkaNode = (
  planned: PlannedKafkaNode,
  { home, jars, login }: Runtime,
  spec: ProcessSpec,
  runId: string,
): NodeProcess => {
  const { node, direct, directory, logFile } = planned;
  return new NodeProcess({
    node,
    executable: home.java,
    args: [
      `-Xmx${spec.heap}`,
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      `-Djdk.net.hosts.file=${join(directory, 'hosts')}`,
      `-Dlog4j2.configurationFile=${join(directory, 'log4j2.properties')}`,
      '-cp',
      [join(home.libs, '*'), ...jars].join(delimiter),
      'kafka.Kafka',
      join(directory, 'server.properties'),
    ],
    environment: { ACKPROOF_RUN: runId, ...login },
    logFile,
    readyWithinMs: READY_WITHIN_MS,
    serves: async (signal) => {
      try {
        const asked = { ...direct, clientId: 'ackproof-target', connectTimeoutMs: ASK_MS, maxInFlight: 1 };
        const connection = await Connection.open({ ...asked, ...(signal === undefined ? {} : { signal }) });
        connection.close();
        return done({ ready: true });
      } catch (thrown) {
        signal?.throwIfAborted();
        return notYet(describeError(thrown));
      }
    },
  });
};

const builtInProxy = ({ path, admin, logFile, proxies }: PlannedProxy, runId: string): NodeProcess =>
  new NodeProcess({
    node: `link-proxy/${path}`,
    ...nodeProgram('embedded/link-proxy/link-proxy-program', {
      exitOnStdinClose: true,
      host: admin.host,
      apiPort: admin.port,
      proxies: proxies.map((proxy) => ({ ...proxy, enabled: true })),
    }),
    environment: { ACKPROOF_RUN: runId },
    logFile,
  });

/** The processes of one cluster. */
interface Cluster {
  readonly id: string;
  readonly layout: KafkaLayout;
  readonly ports: readonly number[];
  readonly runtime: Runtime;
  /** The server that the proxies are of; absent where they are ours. */
  readonly toxiproxy?: ToxiproxyProgram;
  readonly proxies: readonly NodeProcess[];
  readonly controllers: readonly NodeProcess[];
  /** The spare ones last. */
  readonly brokers: readonly NodeProcess[];
  /** One, or none: the S3 server of ours. */
  readonly store: readonly NodeProcess[];
}

const all = ({ proxies, controllers, brokers, store }: Cluster): readonly NodeProcess[] => [
  ...store,
  ...proxies,
  ...controllers,
  ...brokers,
];

const dispose = async (cluster: Cluster, spec: ProcessSpec, runDirectory: string): Promise<void> => {
  await disposeTogether(all(cluster));
  releasePorts(cluster.ports);
  if (!spec.keepFiles) await rm(kafkaDirectory(runDirectory), { recursive: true, force: true });
};

const fingerprint = (
  spec: ProcessSpec,
  { version, javaVersion }: KafkaHome,
  toxiproxy: ToxiproxyProgram | undefined,
): Readonly<Record<string, string>> => ({
  kafka: version,
  ...Object.fromEntries(Object.entries(defaultFeatures(version)).map(([name, level]) => [name, String(level)])),
  java: javaVersion,
  brokers: String(spec.brokers),
  ...(spec.spareBrokers === 0 ? {} : { spareBrokers: String(spec.spareBrokers) }),
  controllers: String(spec.controllers),
  sessionTimeoutMs: String(spec.sessionTimeout),
  replicaLagMs: String(spec.replicaLag),
  ...Object.fromEntries(Object.entries(spec.settings).map(([name, value]) => [`setting ${name}`, value])),
  heap: spec.heap,
  ...(spec.tieredStorage === undefined ? {} : { tieredStorage: describeTiers(spec.tieredStorage) }),
  proxies: toxiproxy === undefined ? 'built-in' : `Toxiproxy ${toxiproxy.version}`,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
});

/** Those of the brokers: a controller of a fixed quorum that forgot its votes could do harm that nobody asked for. */
const disksOf = ({ layout, brokers, id }: Cluster): NodeDisks =>
  kafkaDisks(layout.brokers.slice(0, layout.brokerNodes.length), id, (node) =>
    brokers.some((broker) => broker.command.node === node && broker.identity !== undefined),
  );

/** What a bucket adds. Of somebody else's nobody tells which reads came from it, so nothing is cold there for sure. */
const storeCapabilities = (
  { layout, runtime: { login } }: Cluster,
  runDirectory: string,
): Pick<Capabilities, 'objectStore' | 'cooling'> => {
  const { storePath, brokers } = layout;
  if (storePath === undefined || login === undefined) return {};
  const objectStore = tieredStoreAccess(storePath, login, runDirectory);
  if (storePath.own === undefined) return { objectStore };
  return { objectStore, cooling: tieredCooling(brokers.slice(0, layout.brokerNodes.length), objectStore) };
};

const describeTarget = (cluster: Cluster, spec: ProcessSpec, options: StartOptions): StartedTarget => {
  const { layout, brokers, controllers, store } = cluster;
  const { storePath } = layout;
  const restarts = new ProxyRestarts(
    cluster.proxies,
    layout.proxies.map(({ admin }) => admin),
  );
  return {
    kind: 'process',
    ephemeral: true,
    profile: spec.profile,
    bootstrap: layout.brokerNodes.map((broker) => broker.advertised),
    evidenceBootstrap: layout.brokerNodes.map((broker) => broker.direct),
    brokers: layout.brokerNodes,
    controllers: layout.controllerNodes,
    sessionMs: spec.sessionTimeout,
    can: {
      administration: {},
      processes: processControl([...brokers, ...controllers, ...store]),
      disks: disksOf(cluster),
      links: { all: layout.links, restart: async (admin) => await restarts.restart(admin) },
      ...(layout.spareNodes.length > 0 && { spares: { brokers: layout.spareNodes } }),
      ...storeCapabilities(cluster, options.runDirectory),
    },
    ...(storePath !== undefined && { storage: tieredStorageFacts(spec, storePath) }),
    description: {
      kind: 'process',
      name: spec.name,
      fingerprint: fingerprint(spec, cluster.runtime.home, cluster.toxiproxy),
    },
    logs: [
      ...[...layout.controllers, ...layout.brokers].map(({ node, logFile }) => ({ node, file: logFile })),
      ...store.map(({ command: { node, logFile } }) => ({ node, file: logFile })),
    ],
    casualties: () => all(cluster).flatMap((each) => (each.diedAlone ? [each.command.node] : [])),
    restartedProxies: () => restarts.done,
    [Symbol.asyncDispose]: async () => {
      await dispose(cluster, spec, options.runDirectory);
    },
  };
};

const configOf = ({ path }: PlannedProxy, runDirectory: string): string =>
  join(kafkaDirectory(runDirectory), `toxiproxy-${path}.json`);

const chooseToxiproxy = async (spec: ProcessSpec): Promise<ToxiproxyProgram | undefined> => {
  if (spec.proxies === 'built-in') return undefined;
  const found = await findToxiproxy();
  if (found !== undefined || spec.proxies === 'auto') return found;
  throw new EnvironmentError('TOXIPROXY_NOT_FOUND', 'There is no toxiproxy-server on the PATH.', {
    hint: 'Install Toxiproxy, name its server in ACKPROOF_TOXIPROXY, or leave proxies out of the target file.',
  });
};

const plan = async (spec: ProcessSpec, options: StartOptions): Promise<Cluster> => {
  const { runId, runDirectory } = options;
  const home = await findKafka(spec.kafkaHome, options.specFolder);
  const runtime = { home, jars: findTieredJars(spec, home.version), login: storeLogin(spec, options.specFolder) };
  const toxiproxy = await chooseToxiproxy(spec);
  await assertMachineAddresses(spec);
  const ports = await freePorts(HOST, kafkaPortsNeeded(spec));
  const layout = planKafka({ spec, ports, runDirectory });
  const nodeOf = (planned: PlannedKafkaNode): NodeProcess => kafkaNode(planned, runtime, spec, runId);
  const store = layout.storePath && ownStoreProcess(layout.storePath, runDirectory, runId);
  return {
    id: freshUuid(),
    layout,
    ports,
    runtime,
    store: store === undefined ? [] : [store],
    ...(toxiproxy === undefined ? {} : { toxiproxy }),
    proxies: layout.proxies.map((planned) =>
      toxiproxy === undefined
        ? builtInProxy(planned, runId)
        : toxiproxyNode(toxiproxy, planned, configOf(planned, runDirectory), runId),
    ),
    controllers: layout.controllers.map(nodeOf),
    brokers: layout.brokers.map(nodeOf),
  };
};

/** What a disk that Kafka's own tool has formatted turns on, and one that was made by hand does not. */
const turnOnFeatures = async ({ runtime, layout }: Cluster, signal: AbortSignal): Promise<void> => {
  const levels = defaultFeatures(runtime.home.version);
  if (Object.keys(levels).length === 0) return;
  const bootstrap = layout.brokerNodes.map(({ direct }) => direct);
  const client = new ClusterClient({ bootstrap, clientId: 'ackproof-target' });
  try {
    await raiseFeatures(client, levels, { deadlineMs: FEATURES_WITHIN_MS, signal });
  } finally {
    client.close();
  }
};

/**
 * Starts the cluster and returns once clients are served through the proxies. A start that fails leaves no process and no
 * files but the logs.
 * @throws EnvironmentError that says what is missing, or names the node that failed and how its log ends.
 */
export const startProcesses = async (spec: ProcessSpec, options: StartOptions): Promise<StartedTarget> => {
  const { runDirectory, signal } = options;
  const cluster = await plan(spec, options);
  const { layout, proxies, controllers, brokers, store } = cluster;
  try {
    await Promise.all(
      [...layout.controllers, ...layout.brokers].map(async (each) => await writeFiles(each, cluster.id)),
    );
    await Promise.all(
      layout.proxies.map(async (each) => await writeToxiproxyConfig(each, configOf(each, runDirectory))),
    );
    await startTogether([...store, ...proxies, ...controllers, ...brokers.slice(0, spec.brokers)], signal);
    await awaitServing(layout.brokerNodes, signal, SERVING_WITHIN_MS);
    await turnOnFeatures(cluster, signal);
    return describeTarget(cluster, spec, options);
  } catch (thrown) {
    await dispose(cluster, spec, runDirectory).catch((second: unknown) => {
      if (thrown instanceof AckproofError) thrown.attached.push(second);
    });
    throw thrown;
  }
};
