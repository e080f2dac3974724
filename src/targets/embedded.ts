// The embedded target: ackproof's own object-storage cluster, each part a process of its own on loopback. Every process carries
// the run's id in its environment and ends when the pipe to its standard input closes, so nothing outlives the run.
import { mkdir, rm } from 'node:fs/promises';
import { AckproofError } from '../errors.ts';
import { releasePorts } from '../ports.ts';
import { freshHex } from '../random.ts';
import { readBrokerStats } from './broker-admin.ts';
import { type CoolableBroker, embeddedCooling } from './embedded-cooling.ts';
import { embeddedIndexed } from './embedded-index.ts';
import { describeEmbeddedKey } from './embedded-keys.ts';
import {
  BUCKET,
  DATA_PREFIX,
  type EmbeddedLayout,
  embeddedDirectory,
  planEmbedded,
  portsNeeded,
  WAL_PREFIX,
} from './embedded-layout.ts';
import { EmbeddedProcesses } from './embedded-processes.ts';
import { freePorts } from './free-ports.ts';
import { processControl } from './node-processes.ts';
import { objectStoreAccess } from './object-store.ts';
import { awaitServing } from './proxied-readiness.ts';
import { StoreRequestLog } from './store-request-log.ts';
import type { Capabilities, ObjectStoreAccess, StartedTarget, StartOptions, StorageFact } from './target.ts';
import type { EmbeddedSpec } from './target-spec.ts';

const HOST = '127.0.0.1';
/** Between finding a port free and listening on it somebody else may take it. */
const PORT_TRIES = 3;

const isPortTaken = (thrown: unknown): boolean =>
  thrown instanceof AckproofError && thrown.code === 'TARGET_PORT_IN_USE';

/** The store, past its proxies, with what it tells of its requests and the brokers of its objects. */
const storeAccess = (layout: EmbeddedLayout): ObjectStoreAccess => {
  const requestLog = new StoreRequestLog(layout.storeListeners.admin, layout.requestLog);
  const access = objectStoreAccess({
    endpoint: layout.storeListeners.direct,
    bucket: BUCKET,
    dataPrefix: DATA_PREFIX,
    walPrefix: WAL_PREFIX,
    requests: async (sinceWallMs, signal) => await requestLog.since(sinceWallMs, signal),
    describeKey: describeEmbeddedKey,
  });
  return { ...access, indexed: async (signal) => await embeddedIndexed(access, signal) };
};

const volumeIo = ({ volume, volumeAdmin }: EmbeddedLayout, { wal }: EmbeddedSpec): Pick<Capabilities, 'volumeIo'> =>
  volume === undefined || volumeAdmin === undefined
    ? {}
    : { volumeIo: { node: volume.node, admin: volumeAdmin, isShared: wal === 'nfs' } };

const capabilities = (layout: EmbeddedLayout, processes: EmbeddedProcesses, spec: EmbeddedSpec): Capabilities => {
  const coolable = layout.brokerNodes.map((broker, index) => ({
    node: broker.node,
    admin: layout.brokerAdmins[index],
  }));
  const running = (): readonly CoolableBroker[] =>
    coolable.filter(
      (each, index): each is CoolableBroker =>
        each.admin !== undefined && processes.brokers[index]?.state === 'running',
    );
  return {
    processes: processControl(processes.nodes),
    links: { all: layout.links, restart: async (admin) => await processes.restarts.restart(admin) },
    objectStore: storeAccess(layout),
    storeProxy: { all: layout.storeEndpoints },
    ...volumeIo(layout, spec),
    cooling: embeddedCooling(running),
    brokerStats: {
      read: async (signal) =>
        await Promise.all(
          running().map(async (each) => ({ node: each.node, stats: await readBrokerStats(each.admin, signal) })),
        ),
    },
  };
};

const named = (item: StorageFact['item'], detail: string): StorageFact => ({ item, state: 'observed', detail });

/** As it was started, so it is known. */
const storageFacts = ({ storeListeners: { data, wal, direct } }: EmbeddedLayout): readonly StorageFact[] => [
  named('wal', `objects below ${WAL_PREFIX} in the bucket ${BUCKET}, written on conditions`),
  named('service', `ackproof’s own S3 server, one process on ${HOST}`),
  named('identity', 'brokers sign nothing; ackproof itself signs with a key of its own, which nobody checks'),
  named('encryption', 'none, neither on the way nor at rest'),
  named(
    'route',
    `brokers by link proxies and an S3 fault proxy to ports ${data.port} and ${wal.port}; ackproof itself to ${direct.port}, by none`,
  ),
  named('shared-fate', 'write-ahead log, data and index are on one disk, behind one process'),
];

const fingerprint = (spec: EmbeddedSpec, defects: readonly string[]): Readonly<Record<string, string>> => ({
  brokers: String(spec.brokers),
  sessionTimeoutMs: String(spec.sessionTimeout),
  heartbeatMs: String(spec.heartbeat),
  uploadIntervalMs: String(spec.uploadInterval),
  wal: spec.wal,
  defects: defects.length === 0 ? 'none' : [...defects].sort().join(', '),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
});

/** Ends the cluster and gives back what it had. */
const dispose = async (
  processes: EmbeddedProcesses,
  ports: readonly number[],
  spec: EmbeddedSpec,
  runDirectory: string,
): Promise<void> => {
  await processes.dispose();
  releasePorts(ports);
  if (!spec.keepFiles) await rm(embeddedDirectory(runDirectory), { recursive: true, force: true });
};

const describeTarget = (
  layout: EmbeddedLayout,
  processes: EmbeddedProcesses,
  ports: readonly number[],
  spec: EmbeddedSpec,
  options: StartOptions,
): StartedTarget => {
  const volume = layout.volume === undefined ? [] : [layout.volume];
  const planned = [layout.store, ...volume, layout.storeProxy, ...layout.proxies, layout.controller, ...layout.brokers];
  return {
    kind: 'embedded',
    ephemeral: true,
    profile: spec.profile,
    bootstrap: layout.brokerNodes.map((broker) => broker.advertised),
    evidenceBootstrap: layout.brokerNodes.map((broker) => broker.direct),
    brokers: layout.brokerNodes,
    sessionMs: spec.sessionTimeout,
    can: capabilities(layout, processes, spec),
    storage: storageFacts(layout),
    description: { kind: 'embedded', name: spec.name, fingerprint: fingerprint(spec, options.defects) },
    logs: planned.map(({ node, logFile }) => ({ node, file: logFile })),
    restartedProxies: () => processes.restarts.done,
    casualties: () => processes.all.filter((each) => each.diedAlone).map((each) => each.command.node),
    [Symbol.asyncDispose]: async () => {
      await dispose(processes, ports, spec, options.runDirectory);
    },
  };
};

const startOn = async (ports: readonly number[], spec: EmbeddedSpec, options: StartOptions): Promise<StartedTarget> => {
  const { runDirectory, defects, signal } = options;
  const layout = planEmbedded({ spec, ports, clusterId: `ackproof-${freshHex(8)}`, runDirectory, defects });
  const processes = new EmbeddedProcesses(layout, options.runId);
  try {
    await mkdir(embeddedDirectory(runDirectory), { recursive: true });
    await processes.start(signal);
    await awaitServing(layout.brokerNodes, signal);
    return describeTarget(layout, processes, ports, spec, options);
  } catch (thrown) {
    await dispose(processes, ports, spec, runDirectory).catch((second: unknown) => {
      if (thrown instanceof AckproofError) thrown.attached.push(second);
    });
    throw thrown;
  }
};

/**
 * Starts the cluster and returns once clients are served through the proxies. A start that fails leaves no process and no
 * files but the logs.
 * @throws EnvironmentError that names the program which failed and how its log ends.
 */
export const startEmbedded = async (spec: EmbeddedSpec, options: StartOptions): Promise<StartedTarget> => {
  for (let left = PORT_TRIES - 1; ; left--) {
    try {
      return await startOn(await freePorts(HOST, portsNeeded(spec)), spec, options);
    } catch (thrown) {
      if (left === 0 || !isPortTaken(thrown)) throw thrown;
    }
  }
};
