// A real Apache Kafka behind real Toxiproxies, and the one trouble that tells clients apart: a request arrives, and its answer
// does not. What is stored is read past the proxies by our own reader, which no trouble of a client can touch.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { vi } from 'vitest';
import { ToxiproxyProcess } from '../../../src/faults/backends/toxiproxy.ts';
import { startTarget } from '../../../src/targets/registry.ts';
import type { Link, StartedTarget } from '../../../src/targets/target.ts';
import { targetSpecSchema } from '../../../src/targets/target-spec.ts';
import type { Address, BrokerId, Offset } from '../../../src/vocabulary.ts';
import { ClusterClient } from '../../../src/wire/cluster-client.ts';
import { describeTopic } from '../../../src/wire/evidence-calls.ts';
import { electPreferredLeaders } from '../../../src/wire/leader-election.ts';
import { Reader } from '../../../src/wire/reader.ts';
import { reassignPartitions } from '../../../src/wire/reassignment.ts';
import { createTopic } from '../../../src/wire/topic-calls.ts';
import { kafkaLibs } from '../kafka/kafka-cluster.ts';

const LIMIT = { deadlineMs: 60_000 };
const BROKERS = 3;
const TOXIC = 'lost-answers';

export class LossyKafka implements AsyncDisposable {
  readonly version: string;
  readonly #target: StartedTarget;
  readonly #client: ClusterClient;
  readonly #folder: string;

  constructor(target: StartedTarget, folder: string) {
    this.#target = target;
    this.#folder = folder;
    this.version = target.description.fingerprint['kafka'] ?? '';
    this.#client = new ClusterClient({ bootstrap: target.evidenceBootstrap, clientId: 'hazards' });
  }

  /** Through the Toxiproxies, one address for each broker in the order of their ids. */
  get bootstrap(): readonly Address[] {
    return this.#target.bootstrap;
  }

  /** A topic whose partition i is led by broker `leaders[i]`. */
  async createTopic(name: string, leaders: readonly number[]): Promise<void> {
    const config = { 'min.insync.replicas': '2' };
    await createTopic(this.#client, { name, partitions: leaders.length, replicationFactor: BROKERS, config }, LIMIT);
    for (const [partition, leader] of leaders.entries()) await this.lead(name, partition, leader);
  }

  async leaderOf(topic: string, partition: number): Promise<number | undefined> {
    return (await describeTopic(this.#client, topic, LIMIT)).partitions[partition]?.leader;
  }

  /** Makes a broker the leader of a partition, in order and with all replicas in sync. */
  async lead(topic: string, partition: number, leader: number): Promise<void> {
    const replicas = [leader, ...[1, 2, 3].filter((id) => id !== leader)] as BrokerId[];
    await reassignPartitions(this.#client, [{ topic, partition, replicas }], LIMIT);
    await vi.waitFor(
      async () => {
        await electPreferredLeaders(this.#client, [{ topic, partition }], LIMIT);
        if ((await this.leaderOf(topic, partition)) !== leader) throw new Error(`broker ${leader} does not lead yet`);
      },
      { timeout: 30_000, interval: 100 },
    );
  }

  /** The values of a partition in the order of their offsets. */
  async stored(topic: string, partition = 0): Promise<readonly string[]> {
    const reader = new Reader({ client: this.#client, topic, isolation: 'read_committed' });
    const values: string[] = [];
    for (let position = 0 as Offset; ; ) {
      const answer = await reader.read(partition, position, 100, 60_000);
      if (answer.kind !== 'batches') throw new Error(`${topic}/${partition} has no offset ${position}`);
      for (const { records } of answer.batches)
        values.push(...records.map(({ value }) => String(value).split(' ')[0] ?? ''));
      if (answer.nextOffset === position) return values;
      position = answer.nextOffset;
    }
  }

  /** Waits until a partition holds so many records. */
  async untilStored(topic: string, count: number): Promise<void> {
    await vi.waitFor(
      async () => {
        const { length } = await this.stored(topic);
        if (length < count) throw new Error(`${length} of ${count} records are there`);
      },
      { timeout: 30_000, interval: 20 },
    );
  }

  /**
   * Loses every answer of a broker to clients: `cut` ends the connection at its first byte, `silence` keeps the connection open.
   * What is returned makes the path whole again, which ends the connections through it.
   */
  async loseAnswers(broker: number, how: 'cut' | 'silence' = 'cut'): Promise<() => Promise<void>> {
    const { admin, proxy } = this.#linkTo(broker);
    const server = new ToxiproxyProcess(admin);
    const before = await server.readBack(proxy);
    const toxic =
      how === 'cut'
        ? ({ type: 'limit_data', attributes: { bytes: 0 } } as const)
        : ({ type: 'timeout', attributes: { timeout: 0 } } as const);
    await server.addToxic(proxy, { name: TOXIC, stream: 'downstream', ...toxic });
    return async () => await server.restore(before, [TOXIC]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await this.#target[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #linkTo(broker: number): Link {
    const node = this.#target.brokers.find(({ id }) => Number(id) === broker)?.node;
    const link = this.#target.can.links?.all.find((each) => each.path === 'client' && each.node === node);
    if (link === undefined) throw new Error(`no proxy leads clients to broker ${broker}`);
    return link;
  }
}

/** Builds or finds Toxiproxy, fetches Kafka, and starts three brokers behind it. */
export const startLossyKafka = async (): Promise<LossyKafka> => {
  kafkaLibs();
  process.env['ACKPROOF_TOXIPROXY'] ??= execFileSync(
    'bash',
    [resolve(import.meta.dirname, '../../../docker/toxiproxy/fetch.sh')],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  ).trim();
  const folder = mkdtempSync(join(tmpdir(), 'ackproof-hazards-'));
  const written = {
    apiVersion: 'ackproof/v1',
    kind: 'process',
    controllers: 1,
    brokers: BROKERS,
    proxies: 'toxiproxy',
  };
  const spec = targetSpecSchema.parse(written);
  const signal = new AbortController().signal;
  const target = await startTarget(spec, { runId: 'hazards', runDirectory: folder, defects: [], signal });
  return new LossyKafka(target, folder);
};
