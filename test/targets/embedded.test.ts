// The embedded target with real processes: what it starts, what can be done to it, and that nothing of it stays behind.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTarget } from '../../src/targets/registry.ts';
import { servedBrokers } from '../../src/targets/served-addresses.ts';
import type { Address } from '../../src/targets/target.ts';
import { targetSpecSchema } from '../../src/targets/target-spec.ts';
import { fetchMetadata } from '../../src/wire/evidence-calls.ts';
import {
  accepts,
  type Cluster,
  countRecords,
  freshRunDirectory,
  makeTopic,
  processesOfRun,
  produce,
  signal,
  startCluster,
} from './cluster-fixture.ts';

const call = { deadlineMs: 5_000, signal };
/** Store, S3 fault proxy, link proxies, controller, brokers. */
const PROCESSES = 1 + 1 + 4 + 1 + 3;

const leaderOf = async (cluster: Cluster, topic: string): Promise<{ leader: number | undefined; epoch: number }> => {
  const metadata = await fetchMetadata(cluster.client, [topic], call);
  const row = metadata.topics[0]?.partitions[0];
  return { leader: row?.leader, epoch: row?.leaderEpoch ?? -1 };
};

const leaderAbove = async (cluster: Cluster, topic: string, epoch: number): Promise<void> => {
  await expect.poll(async () => (await leaderOf(cluster, topic)).epoch).toBeGreaterThan(epoch);
};

describe('the embedded target', () => {
  it('starts, serves through its proxies and leaves nothing, twice', async () => {
    for (let round = 0; round < 2; round++) {
      const cluster = await startCluster();
      expect(processesOfRun(cluster.runId)).toHaveLength(PROCESSES);
      await makeTopic(cluster, 'orders');
      const end = await produce(cluster, 'orders', 3, 10);
      expect(await countRecords(cluster, 'orders', end)).toBe(30);
      await cluster[Symbol.asyncDispose]();
      expect(processesOfRun(cluster.runId)).toEqual([]);
      expect(existsSync(join(cluster.runDirectory, 'embedded'))).toBe(false);
      const listeners = [...cluster.target.bootstrap, ...cluster.target.evidenceBootstrap];
      expect(await Promise.all(listeners.map(accepts))).toEqual(listeners.map(() => false));
    }
  });

  it('names its defects in the fingerprint', async () => {
    await using cluster = await startCluster({ brokers: 1, defects: ['no-fencing', 'ack-before-wal'] });
    expect(cluster.target.description.fingerprint['defects']).toBe('ack-before-wal, no-fencing');
  });
});

describe('on an embedded target', () => {
  let cluster: Cluster;
  let topic: string;

  beforeAll(async () => {
    cluster = await startCluster();
  });

  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  beforeEach(async ({ task }) => {
    const live = async (): Promise<number> => (await fetchMetadata(cluster.client, [], call)).brokers.length;
    await expect.poll(live).toBe(3);
    topic = `topic-${task.id.replaceAll(/[^a-z0-9-]/gi, '-')}`;
    await makeTopic(cluster, topic);
  });

  afterEach(async () => {
    const { processes } = cluster.can;
    expect(await Promise.all(processes.nodes.map(async (node) => await processes.state(node)))).toEqual(
      processes.nodes.map(() => 'running'),
    );
  });

  it('clients are told the proxies and evidence the direct listeners, and never the other way round', async () => {
    const { bootstrap, evidenceBootstrap } = cluster.target;
    const told = async (address: Address): Promise<readonly Address[]> =>
      (await servedBrokers(address, 2_000, signal)).map((broker) => broker.address);
    expect(await Promise.all(bootstrap.map(told))).toEqual(bootstrap.map(() => bootstrap));
    expect(await Promise.all(evidenceBootstrap.map(told))).toEqual(evidenceBootstrap.map(() => evidenceBootstrap));
  });

  it('a proxy takes its own connections down and nothing else', async () => {
    const link = cluster.can.links.all.find((each) => each.path === 'client' && each.node === 'broker/1');
    const broker = cluster.target.brokers[0]!;
    const set = async (enabled: boolean): Promise<void> => {
      const url = `http://${link!.admin.host}:${link!.admin.port}/proxies/${link!.proxy}`;
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ enabled }) });
      expect(answer.status).toBe(200);
      await answer.text();
    };
    await set(false);
    expect(await accepts(broker.advertised)).toBe(false);
    expect(await accepts(broker.direct)).toBe(true);
    expect(await accepts(cluster.target.bootstrap[1]!)).toBe(true);
    await set(true);
    expect(await servedBrokers(broker.advertised, 2_000, signal)).toHaveLength(3);
  });

  it('acknowledged records outlive the kill of their leader, which moves in a new epoch', async () => {
    const { processes } = cluster.can;
    const end = await produce(cluster, topic, 10, 10);
    const before = await leaderOf(cluster, topic);
    const victim = `broker/${before.leader}`;
    const killed = await processes.kill(victim, signal);
    expect(await processes.state(victim)).toBe('stopped');
    await leaderAbove(cluster, topic, before.epoch);
    expect(await countRecords(cluster, topic, end)).toBe(100);
    const started = await processes.start(victim, signal);
    expect(started.pid).not.toBe(killed.pid);
    expect(await produce(cluster, topic, 1, 10)).toBe(end + 10);
  });

  it('a paused leader is failed over, and runs again when resumed', async () => {
    const { processes } = cluster.can;
    const end = await produce(cluster, topic, 2, 10);
    const before = await leaderOf(cluster, topic);
    const victim = `broker/${before.leader}`;
    await processes.pause(victim, signal);
    expect(await processes.state(victim)).toBe('paused');
    await leaderAbove(cluster, topic, before.epoch);
    await processes.resume(victim, signal);
    expect(await countRecords(cluster, topic, end)).toBe(20);
  });

  it.each(['controller/1', 'object-store'])(
    'records are served again after %s was killed and started',
    async (node) => {
      const { processes } = cluster.can;
      await produce(cluster, topic, 2, 10);
      await processes.kill(node, signal);
      expect(await processes.state(node)).toBe('stopped');
      await processes.start(node, signal);
      const end = await produce(cluster, topic, 2, 10);
      expect(await countRecords(cluster, topic, end)).toBe(end);
    },
  );

  it('a broker stops in good order: exit code 0, leadership gone before', async () => {
    const { processes } = cluster.can;
    const { leader } = await leaderOf(cluster, topic);
    expect(await processes.terminate(`broker/${leader}`, 5_000, signal)).toEqual({ exitCode: 0 });
    expect((await leaderOf(cluster, topic)).leader).not.toBe(leader);
    await processes.start(`broker/${leader}`, signal);
  });

  it('a part that ended by itself is told, also when it was started again', async () => {
    expect(cluster.target.casualties?.()).toEqual([]);
    const identity = await cluster.can.processes.identity('broker/2');
    process.kill(identity!.pid, 'SIGKILL');
    await expect.poll(async () => await cluster.can.processes.state('broker/2')).toBe('gone');
    expect(cluster.target.casualties?.()).toEqual(['broker/2']);
    await cluster.can.processes.start('broker/2', signal);
    expect(cluster.target.casualties?.()).toEqual(['broker/2']);
  });

  it('an external target sees the same brokers and can do nothing to them', async () => {
    const bootstrapServers = cluster.target.bootstrap.map(({ host, port }) => `${host}:${port}`);
    const spec = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'external', bootstrapServers });
    const options = { runId: 'x', runDirectory: cluster.runDirectory, defects: [], signal };
    await using external = await startTarget(spec, options);
    expect(external).toMatchObject({
      kind: 'external',
      ephemeral: false,
      can: {},
      bootstrap: cluster.target.bootstrap,
    });
    expect(external.brokers.map((broker) => broker.node)).toEqual(['broker/1', 'broker/2', 'broker/3']);
  });
});

describe('an external target that is not there', () => {
  it('is an environment error that names every address and what to do', async () => {
    const spec = targetSpecSchema.parse({
      apiVersion: 'ackproof/v1',
      kind: 'external',
      bootstrapServers: ['127.0.0.1:1', '127.0.0.1:2'],
    });
    const starting = startTarget(spec, { runId: 'x', runDirectory: '/nowhere', defects: [], signal });
    await expect(starting).rejects.toMatchObject({
      kind: 'environment',
      code: 'TARGET_UNREACHABLE',
      message: expect.stringMatching(/127\.0\.0\.1:1: .*127\.0\.0\.1:2: /),
    });
  });
});

describe('a start of the embedded target that fails', () => {
  it('says which program failed and how its log ends, and leaves no process', async () => {
    const runDirectory = freshRunDirectory();
    const runId = `failed-${process.pid}`;
    const failed = await startCluster({ defects: ['no-such-defect'], runDirectory, runId }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(failed)).toMatch(/broker\/\d ended with exit code 65 .*no-such-defect/);
    expect(processesOfRun(runId)).toEqual([]);
    expect(existsSync(join(runDirectory, 'embedded'))).toBe(false);
    const logs = ['broker-1.log', 'broker-2.log', 'broker-3.log'].map((name) => join(runDirectory, 'logs', name));
    expect(logs.map((file) => readFileSync(file, 'utf8')).join('')).toContain('no-such-defect');
    rmSync(runDirectory, { recursive: true, force: true });
  });

  it('because it was aborted leaves no process, at whatever moment', async () => {
    for (const afterMs of [0, 60, 200, 500]) {
      const runDirectory = freshRunDirectory();
      const runId = `aborted-${process.pid}-${afterMs}`;
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('enough')), afterMs);
      const outcome = await startCluster({ runDirectory, runId, signal: abort.signal }).then(
        async (cluster) => {
          await cluster[Symbol.asyncDispose]();
          return 'started';
        },
        (thrown: unknown) => String(thrown),
      );
      expect(outcome).toMatch(/enough|started/);
      expect(processesOfRun(runId)).toEqual([]);
      rmSync(runDirectory, { recursive: true, force: true });
    }
  });
});
