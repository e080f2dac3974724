// A real embedded cluster for a test, with a topic and the few things tests do to it. Programs come from `dist`: build first.
import { setMaxListeners } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CAUTIOUS_PROFILE } from '../../src/outcomes.ts';
import { freshHex } from '../../src/random.ts';
import { startTarget } from '../../src/targets/registry.ts';
import type { Address, Capabilities, StartedTarget } from '../../src/targets/target.ts';
import { targetSpecSchema } from '../../src/targets/target-spec.ts';
import type { Offset, WalKind } from '../../src/vocabulary.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { Producer } from '../../src/wire/producer.ts';
import { Reader } from '../../src/wire/reader.ts';
import { createTopic } from '../../src/wire/topic-calls.ts';

export const signal = AbortSignal.timeout(120_000);
setMaxListeners(0, signal);

export interface Cluster extends AsyncDisposable {
  readonly runId: string;
  readonly runDirectory: string;
  readonly target: StartedTarget;
  readonly can: Required<Capabilities>;
  /** On the direct listeners. */
  readonly client: ClusterClient;
}

export interface ClusterOptions {
  readonly brokers?: number;
  readonly wal?: WalKind;
  readonly defects?: readonly string[];
  readonly signal?: AbortSignal;
  readonly runDirectory?: string;
  readonly runId?: string;
}

export const freshRunDirectory = (): string => mkdtempSync(join(tmpdir(), 'ackproof-run-'));

export const startCluster = async (options: ClusterOptions = {}): Promise<Cluster> => {
  const runId = options.runId ?? `t${freshHex(8)}`;
  const runDirectory = options.runDirectory ?? freshRunDirectory();
  const { brokers = 3, wal = 's3' } = options;
  const spec = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded', brokers, wal });
  const target = await startTarget(spec, {
    runId,
    runDirectory,
    defects: options.defects ?? [],
    signal: options.signal ?? signal,
  });
  const client = new ClusterClient({ bootstrap: target.evidenceBootstrap, clientId: 'test' });
  return {
    runId,
    runDirectory,
    target,
    can: target.can as Required<Capabilities>,
    client,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await target[Symbol.asyncDispose]();
      if (options.runDirectory === undefined) rmSync(runDirectory, { recursive: true, force: true });
    },
  };
};

/** Whether somebody listens there. */
export const accepts = async (address: Address): Promise<boolean> =>
  await new Promise((resolve) => {
    const socket = connect(address.port, address.host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const carriesRun = (pid: string, runId: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`ACKPROOF_RUN=${runId}`);
  } catch {
    return false;
  }
};

/** The pids of all processes that carry a run's id in their environment. */
export const processesOfRun = (runId: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && carriesRun(name, runId))
    .map(Number);

export const makeTopic = async (cluster: Cluster, name: string, partitions = 1): Promise<void> => {
  const topic = { name, partitions, replicationFactor: cluster.target.brokers.length, config: {} };
  await createTopic(cluster.client, topic, { deadlineMs: 5_000, signal });
};

const recordsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: null,
    value: Buffer.from(`record ${first + index} `.padEnd(200, '.')),
    timestamp: 1_700_000_000_000,
  }));

/** Appends `batches` × `size` records through the proxies; all must be acknowledged. Returns the offset after the last. */
export const produce = async (
  cluster: Cluster,
  topic: string,
  batches: number,
  size: number,
  partition = 0,
): Promise<number> => {
  const client = new ClusterClient({ bootstrap: cluster.target.bootstrap, clientId: 'test-producer' });
  try {
    const producer = new Producer({
      client,
      topic,
      partition,
      acks: 'all',
      idempotent: false,
      retry: 'none',
      attemptTimeoutMs: 4_000,
      deliveryTimeoutMs: 8_000,
      profile: CAUTIOUS_PROFILE,
    });
    let end = 0;
    for (let batch = 0; batch < batches; batch++) {
      const result = await producer.send(recordsOf(batch * size, size), signal);
      if (result.outcome !== 'ok' || result.baseOffset === 'untrusted') {
        throw new Error(`not acknowledged: ${JSON.stringify(result)}`);
      }
      end = result.baseOffset + size;
    }
    return end;
  } finally {
    client.close();
  }
};

/** How many records can be read from the start of a partition up to `end`, through the proxies. */
export const countRecords = async (cluster: Cluster, topic: string, end: number, partition = 0): Promise<number> => {
  const client = new ClusterClient({ bootstrap: cluster.target.bootstrap, clientId: 'test-reader' });
  try {
    const reader = new Reader({ client, topic, isolation: 'read_committed' });
    let records = 0;
    for (let next = 0; next < end; ) {
      const answer = await reader.read(partition, next as Offset, 256 * 1024, 8_000, signal);
      if (answer.kind === 'out-of-range') throw new Error(`offset ${next} is out of range`);
      records += answer.batches.reduce((sum, batch) => sum + batch.records.length, 0);
      next = answer.nextOffset;
    }
    return records;
  } finally {
    client.close();
  }
};
