// An embedded cluster of real processes for a test, and kafkajs clients of it. Programs come from `dist`: build first.
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { expect } from 'vitest';
import { freshHex } from '../../src/random.ts';
import { startTarget } from '../../src/targets/registry.ts';
import type { Address, Capabilities, StartedTarget } from '../../src/targets/target.ts';
import { targetSpecSchema } from '../../src/targets/target-spec.ts';
import type { Offset, WalKind } from '../../src/vocabulary.ts';
import { Connection } from '../../src/wire/connection.ts';
import { encodeRecordBatch } from '../../src/wire/record-batch.ts';

export interface RunningCluster extends AsyncDisposable {
  readonly target: StartedTarget;
  readonly can: Required<Capabilities>;
  readonly signal: AbortSignal;
}

export const startCluster = async (brokers = 3, wal: WalKind = 's3'): Promise<RunningCluster> => {
  const runDirectory = mkdtempSync(join(tmpdir(), 'ackproof-broker-'));
  const signal = AbortSignal.timeout(120_000);
  setMaxListeners(0, signal);
  const spec = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'embedded', brokers, wal });
  const target = await startTarget(spec, { runId: `t${freshHex(8)}`, runDirectory, defects: [], signal });
  return {
    target,
    can: target.can as Required<Capabilities>,
    signal,
    [Symbol.asyncDispose]: async () => {
      await target[Symbol.asyncDispose]();
      rmSync(runDirectory, { recursive: true, force: true });
    },
  };
};

/** kafkajs as somebody would set it up, quiet; `retries` are its own, inside each call. */
export const kafkaOf = (cluster: RunningCluster, retries = 8): Kafka =>
  new Kafka({
    clientId: 'test',
    brokers: cluster.target.bootstrap.map((address) => `${address.host}:${address.port}`),
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    requestTimeout: 4000,
    retry: { retries, initialRetryTime: 50, maxRetryTime: 1000 },
  });

export const createTopic = async (cluster: RunningCluster, topic: string, partitions: number): Promise<void> => {
  const admin = kafkaOf(cluster).admin();
  await admin.connect();
  try {
    await admin.createTopics({ topics: [{ topic, numPartitions: partitions, replicationFactor: 3 }] });
  } finally {
    await admin.disconnect();
  }
};

/** Every record of a topic up to the ends it has now, as `partition/offset` → key. Needs no group. */
export const readAll = async (cluster: RunningCluster, topic: string): Promise<ReadonlyMap<string, string>> => {
  const admin = kafkaOf(cluster).admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const wanted = ends.reduce((sum, end) => sum + Number(end.high), 0);
  const seen = new Map<string, string>();
  const consumer = kafkaOf(cluster).consumer({ groupId: `read-${freshHex(4)}`, maxWaitTimeInMs: 200 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const complete = new Promise<void>((resolve) => {
    void consumer.run({
      eachBatch: async ({ batch }) => {
        await Promise.resolve();
        for (const record of batch.messages) {
          seen.set(`${batch.partition}/${record.offset}`, record.key?.toString() ?? '');
        }
        if (seen.size >= wanted) resolve();
      },
    });
  });
  const late = new Promise<void>((resolve) => setTimeout(resolve, 15_000).unref());
  if (wanted > 0) await Promise.race([complete, late]);
  await consumer.disconnect();
  return seen;
};

/** Offset → key of what was acknowledged; one lane for each partition, one batch in flight. */
export class Load {
  readonly acked = new Map<string, string>();
  /** Partitions that acknowledged since the last call of `forget`. */
  readonly alive = new Set<number>();
  readonly #cluster: RunningCluster;
  readonly #topic: string;
  #stopped = false;
  readonly #lanes: readonly Promise<void>[];

  constructor(cluster: RunningCluster, topic: string, partitions: number) {
    this.#cluster = cluster;
    this.#topic = topic;
    this.#lanes = Array.from({ length: partitions }, async (_, partition) => await this.#run(partition));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  /** Resolves when every one of `partitions` has acknowledged something from now on. */
  async progress(partitions: readonly number[], withinMs: number): Promise<void> {
    this.alive.clear();
    const until = performance.now() + withinMs;
    while (!partitions.every((partition) => this.alive.has(partition))) {
      if (performance.now() > until) throw new Error(`only ${[...this.alive].join(', ')} of ${partitions.join(', ')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #run(partition: number): Promise<void> {
    const producer = kafkaOf(this.#cluster, 0).producer({ metadataMaxAge: 1000 });
    await producer.connect();
    for (let sequence = 0; !this.#stopped; sequence += 20) {
      const keys = Array.from({ length: 20 }, (_, index) => `${partition}:${sequence + index}`);
      const messages = keys.map((key) => ({ key, value: 'x'.repeat(200), partition }));
      try {
        const [answer] = await producer.send({ topic: this.#topic, acks: -1, timeout: 3000, messages });
        const base = Number(answer?.baseOffset);
        keys.forEach((key, index) => this.acked.set(`${partition}/${base + index}`, key));
        this.alive.add(partition);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
    await producer.disconnect();
  }
}

/** What was acknowledged and is not at its offset: empty when every promise was kept. */
export const broken = (
  acked: ReadonlyMap<string, string>,
  seen: ReadonlyMap<string, string>,
): readonly (readonly [place: string, acked: string, seen: string | undefined])[] =>
  [...acked].flatMap(([place, key]) => (seen.get(place) === key ? [] : [[place, key, seen.get(place)] as const]));

export const PARTITIONS = [0, 1, 2];

/** Runs `harm` under load on a topic of its own and then checks every acknowledgement. */
export const keepsItsPromises = async (
  cluster: RunningCluster,
  topic: string,
  harm: (load: Load) => Promise<void>,
): Promise<void> => {
  await createTopic(cluster, topic, PARTITIONS.length);
  const load = new Load(cluster, topic, PARTITIONS.length);
  await load.progress(PARTITIONS, 5000);
  await harm(load);
  await load.progress(PARTITIONS, 15_000);
  await load.stop();
  const seen = await readAll(cluster, topic);
  expect(load.acked.size).toBeGreaterThan(100);
  expect(broken(load.acked, seen)).toEqual([]);
};

export const connect = async (address: Address): Promise<Connection> =>
  await Connection.open({ ...address, clientId: 'test', connectTimeoutMs: 3000, maxInFlight: 20 });

/** A batch of `count` records. */
export const batchOf = (
  count: number,
  identity: { producerId?: number; producerEpoch?: number; baseSequence?: number } = {},
) =>
  encodeRecordBatch({
    records: Array.from({ length: count }, (_, index) => ({
      key: Buffer.from(`k${index}`),
      value: Buffer.from(`v${index}`),
      timestamp: 1_700_000_000_000 + index,
    })),
    ...identity,
  });

export const offset = (value: number): Offset => value as Offset;
