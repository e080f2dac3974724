// The embedded target: ackproof's own object-storage cluster, each part a process of its own on loopback. Every process carries
// the run's id in its environment and ends when the pipe to its standard input closes, so nothing outlives the run.
import { setMaxListeners } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { AckproofError, describeError } from '../errors.ts';
import { freshHex } from '../random.ts';
import { readBrokerStats } from './broker-admin.ts';
import { type CoolableBroker, embeddedCooling } from './embedded-cooling.ts';
import { describeEmbeddedKey } from './embedded-keys.ts';
import {
  BUCKET,
  DATA_PREFIX,
  type EmbeddedLayout,
  embeddedDirectory,
  type PlannedNode,
  planEmbedded,
  portsNeeded,
  WAL_PREFIX,
} from './embedded-layout.ts';
import { awaitServing } from './embedded-readiness.ts';
import { freePorts } from './free-ports.ts';
import { NodeProcess } from './node-process.ts';
import { processControl } from './node-processes.ts';
import { objectStoreAccess } from './object-store.ts';
import { programFile } from './program-files.ts';
import { StoreRequestLog } from './store-request-log.ts';
import type { Capabilities, StartedTarget, StartOptions } from './target.ts';
import type { EmbeddedSpec } from './target-spec.ts';

const HOST = '127.0.0.1';
/** Between finding a port free and listening on it somebody else may take it. */
const PORT_TRIES = 3;

const isPortTaken = (thrown: unknown): boolean =>
  thrown instanceof AckproofError && thrown.code === 'TARGET_PORT_IN_USE';

/** The processes of one cluster, in the order in which they depend on each other. */
class EmbeddedProcesses {
  readonly infrastructure: readonly NodeProcess[];
  readonly brokers: readonly NodeProcess[];
  readonly store: NodeProcess;
  readonly controller: NodeProcess;
  readonly #proxies: readonly NodeProcess[];

  constructor(layout: EmbeddedLayout, runId: string) {
    const processOf = (planned: PlannedNode): NodeProcess =>
      new NodeProcess({
        node: planned.node,
        program: programFile(`embedded/${planned.program}`),
        argument: JSON.stringify(planned.config),
        environment: { ACKPROOF_RUN: runId },
        logFile: planned.logFile,
      });
    this.store = processOf(layout.store);
    this.controller = processOf(layout.controller);
    this.#proxies = layout.proxies.map(processOf);
    this.brokers = layout.brokers.map(processOf);
    this.infrastructure = [this.store, ...this.#proxies];
  }

  get all(): readonly NodeProcess[] {
    return [...this.infrastructure, this.controller, ...this.brokers];
  }

  /** What faults may be done to; the proxies are how faults are done. */
  get nodes(): readonly NodeProcess[] {
    return [...this.brokers, this.controller, this.store];
  }

  async start(signal: AbortSignal): Promise<void> {
    await startTogether(this.infrastructure, signal);
    await startTogether([this.controller, ...this.brokers], signal);
  }

  async dispose(): Promise<void> {
    const failures: unknown[] = [];
    await Promise.all(
      this.all.map(async (each) => await each.dispose().catch((thrown: unknown) => failures.push(thrown))),
    );
    if (failures.length > 0) throw failures[0] instanceof Error ? failures[0] : new Error(describeError(failures[0]));
  }
}

/** All at once; the first failure ends the others' wait, and is the one that is told. */
const startTogether = async (processes: readonly NodeProcess[], signal: AbortSignal): Promise<void> => {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  setMaxListeners(0, either);
  await Promise.all(
    processes.map(
      async (each) =>
        await each.start(either).catch((thrown: unknown) => {
          failed.abort(thrown);
        }),
    ),
  );
  failed.signal.throwIfAborted();
};

const capabilities = (layout: EmbeddedLayout, processes: EmbeddedProcesses): Capabilities => {
  const requestLog = new StoreRequestLog(layout.storeListeners.admin, layout.requestLog);
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
    links: { all: layout.links },
    objectStore: objectStoreAccess({
      endpoint: layout.storeListeners.direct,
      bucket: BUCKET,
      dataPrefix: DATA_PREFIX,
      walPrefix: WAL_PREFIX,
      requests: async (sinceWallMs, signal) => await requestLog.since(sinceWallMs, signal),
      describeKey: describeEmbeddedKey,
    }),
    cooling: embeddedCooling(running),
    brokerStats: {
      read: async (signal) =>
        await Promise.all(
          running().map(async (each) => ({ node: each.node, stats: await readBrokerStats(each.admin, signal) })),
        ),
    },
  };
};

const fingerprint = (spec: EmbeddedSpec, defects: readonly string[]): Readonly<Record<string, string>> => ({
  brokers: String(spec.brokers),
  sessionTimeoutMs: String(spec.sessionTimeout),
  heartbeatMs: String(spec.heartbeat),
  uploadIntervalMs: String(spec.uploadInterval),
  defects: defects.length === 0 ? 'none' : [...defects].sort().join(', '),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
});

const dispose = async (processes: EmbeddedProcesses, spec: EmbeddedSpec, runDirectory: string): Promise<void> => {
  await processes.dispose();
  if (!spec.keepFiles) await rm(embeddedDirectory(runDirectory), { recursive: true, force: true });
};

const describeTarget = (
  layout: EmbeddedLayout,
  processes: EmbeddedProcesses,
  spec: EmbeddedSpec,
  options: StartOptions,
): StartedTarget => {
  const planned = [layout.store, ...layout.proxies, layout.controller, ...layout.brokers];
  return {
    kind: 'embedded',
    ephemeral: true,
    profile: spec.profile,
    bootstrap: layout.brokerNodes.map((broker) => broker.advertised),
    evidenceBootstrap: layout.brokerNodes.map((broker) => broker.direct),
    brokers: layout.brokerNodes,
    can: capabilities(layout, processes),
    description: { kind: 'embedded', name: spec.name, fingerprint: fingerprint(spec, options.defects) },
    logs: planned.map(({ node, logFile }) => ({ node, file: logFile })),
    casualties: () => processes.all.filter((each) => each.state === 'gone').map((each) => each.command.node),
    [Symbol.asyncDispose]: async () => {
      await dispose(processes, spec, options.runDirectory);
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
    return describeTarget(layout, processes, spec, options);
  } catch (thrown) {
    await dispose(processes, spec, runDirectory).catch((second: unknown) => {
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
      return await startOn(await freePorts(HOST, portsNeeded(spec.brokers)), spec, options);
    } catch (thrown) {
      if (left === 0 || !isPortTaken(thrown)) throw thrown;
    }
  }
};
