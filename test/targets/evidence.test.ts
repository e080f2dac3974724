// Evidence taken from a real embedded cluster: leadership, snapshots, contract, inventory and cold reads.
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { ClusterFact } from '../../src/evidence/cluster-fact.ts';
import { watchCluster } from '../../src/evidence/cluster-watch.ts';
import { accountColdReads } from '../../src/evidence/cold-reads.ts';
import { readContract } from '../../src/evidence/contract-check.ts';
import { takeEpochStarts } from '../../src/evidence/epoch-starts.ts';
import type { LeaderFact } from '../../src/evidence/leader-book.ts';
import { watchLeaders } from '../../src/evidence/leader-watch.ts';
import { takeInventory } from '../../src/evidence/object-inventory.ts';
import { takeOffsets } from '../../src/evidence/offset-snapshot.ts';
import { readSourcesBetween } from '../../src/evidence/read-sources.ts';
import { countRecords, makeTopic, produce, signal, startCluster } from './cluster-fixture.ts';

const call = { deadlineMs: 5_000, signal };

describe('evidence', () => {
  it('of leadership follows a failover and is not confused by a zombie', async () => {
    await using cluster = await startCluster();
    await makeTopic(cluster, 'orders');
    const facts: LeaderFact[] = [];
    const reached: string[] = [];
    await using watch = watchLeaders({
      brokers: cluster.target.brokers,
      topics: ['orders'],
      onLeader: (fact) => facts.push(fact),
      onReach: (broker, answers) => reached.push(`${broker} ${answers}`),
    });
    await expect.poll(() => facts.length).toBeGreaterThan(0);
    const first = facts[0]!;
    await cluster.can.processes.pause(`broker/${first.leader}`, signal);
    await expect.poll(() => watch.leaderOf('orders', 0)?.epoch).toBeGreaterThan(first.epoch);
    await cluster.can.processes.resume(`broker/${first.leader}`, signal);
    await systemClock.sleep(500);
    const epochs = facts.map((fact) => fact.epoch);
    expect(epochs).toEqual([...epochs].sort((one, other) => one - other));
    expect(facts.at(-1)?.leader).not.toBe(first.leader);
    expect(reached).toContain(`${first.leader} true`);
  });

  it('of offsets names begin, end, topic id and epoch of each partition', async () => {
    await using cluster = await startCluster();
    await makeTopic(cluster, 'orders', 3);
    await produce(cluster, 'orders', 2, 10, 1);
    const { taken, missing } = await takeOffsets(cluster.client, { ...call, topic: 'orders', at: () => 7 });
    expect(missing).toEqual([]);
    expect(
      taken.map(({ partition, earliest, latest, latestCommitted, at }) => [
        partition,
        earliest,
        latest,
        latestCommitted,
        at,
      ]),
    ).toEqual([
      [0, 0, 0, 0, 7],
      [1, 0, 20, 20, 7],
      [2, 0, 0, 0, 7],
    ]);
    expect(new Set(taken.map((each) => each.topicId)).size).toBe(1);
    expect(taken.every((each) => /^[\w-]{22}$/.test(each.topicId))).toBe(true);
  });

  it('of offsets under load never has an end below what is committed', async () => {
    await using cluster = await startCluster({ brokers: 1 });
    await makeTopic(cluster, 'orders');
    const ended = new AbortController();
    const load = produce(cluster, 'orders', 60, 5).finally(() => ended.abort());
    while (!ended.signal.aborted) {
      const { taken } = await takeOffsets(cluster.client, { ...call, topic: 'orders', at: () => 0 });
      const inOrder = taken.every(
        (each) => each.earliest <= each.latestCommitted && each.latestCommitted <= each.latest,
      );
      expect(inOrder).toBe(true);
    }
    await load;
  });

  it('of offsets tells a partition whose owner cannot be sure of its ownership as missing, not as a number', async () => {
    await using cluster = await startCluster({ brokers: 1 });
    await makeTopic(cluster, 'orders', 2);
    const asked = { signal, deadlineMs: 1_000, topic: 'orders', at: () => 0 };
    await cluster.can.processes.pause('object-store', signal);
    const { taken, missing } = await takeOffsets(cluster.client, asked);
    await cluster.can.processes.resume('object-store', signal);
    expect(taken).toEqual([]);
    expect(missing).toMatchObject([
      { topic: 'orders', partition: 0, why: expect.stringContaining('orders/0') },
      { topic: 'orders', partition: 1, why: expect.stringContaining('orders/1') },
    ]);
    expect((await takeOffsets(cluster.client, { ...asked, deadlineMs: 5_000 })).taken).toHaveLength(2);
  });

  it('of epochs tells where each leader began, in a log that one took over from another', async () => {
    await using cluster = await startCluster();
    await makeTopic(cluster, 'orders');
    const end = await produce(cluster, 'orders', 4, 5);
    const before = await takeEpochStarts(cluster.client, 'orders', call);
    expect(before.missing).toEqual([]);
    const [first] = before.taken[0]?.starts ?? [];
    expect(first?.offset).toBe(0);
    const leader = async (): Promise<number | undefined> => {
      const { topics } = await cluster.client.metadata(['orders'], { remainingMs: () => 5_000, signal });
      return topics[0]?.partitions[0]?.leader;
    };
    const victim = (await leader()) ?? 0;
    await cluster.can.processes.kill(`broker/${victim}`, signal);
    const isAnother = (id: number | undefined): boolean => id !== undefined && id !== victim;
    await expect.poll(async () => isAnother(await leader().catch(() => undefined)), { timeout: 15_000 }).toBe(true);
    cluster.client.forgetMetadata();
    await produce(cluster, 'orders', 4, 5);
    const { taken } = await takeEpochStarts(cluster.client, 'orders', { ...call, deadlineMs: 10_000 });
    const starts = taken[0]?.starts ?? [];
    expect(starts[0]).toEqual(first);
    expect(starts.at(-1)?.offset).toBe(end);
    expect(starts.at(-1)?.epoch).toBeGreaterThan(first?.epoch ?? Number.NaN);
  });

  it('of the cluster itself is told where there is any, and what the embedded one lacks once as not provided', async () => {
    await using cluster = await startCluster();
    await makeTopic(cluster, 'orders');
    const facts: ClusterFact[] = [];
    const told = (source: string): readonly ClusterFact[] => facts.filter((fact) => fact.source === source);
    const watch = watchCluster({
      target: cluster.target,
      topic: 'orders',
      partitions: 1,
      at: () => 0,
      clientId: 'test',
      onFact: (fact) => facts.push(fact),
    });
    await expect.poll(() => told('fenced').length, { timeout: 10_000 }).toBe(1);
    await cluster.can.processes.kill('broker/2', signal);
    await expect.poll(() => told('fenced').at(-1)?.data['fenced'], { timeout: 10_000 }).toEqual([2]);
    await watch[Symbol.asyncDispose]();
    for (const source of ['quorum', 'elr', 'log-dirs']) {
      expect(told(source).map(({ text }) => text.slice(0, 12))).toEqual(['not provided']);
    }
    expect(told('log-ends').length).toBeGreaterThan(0);
  });

  it('of the contract agrees with a topic made for it and finds what is not as wanted', async () => {
    await using cluster = await startCluster();
    await makeTopic(cluster, 'orders', 2);
    const wanted = {
      topic: 'orders',
      partitions: 2,
      replicationFactor: 3,
      minInSyncReplicas: 1,
      uncleanLeaderElection: false,
      config: {},
    };
    const reading = await readContract(cluster.client, wanted, call);
    expect(reading.mismatches).toEqual([]);
    expect(reading.config).toHaveProperty('cleanup.policy');
    const other = await readContract(cluster.client, { ...wanted, minInSyncReplicas: 2, partitions: 3 }, call);
    expect(other.mismatches.map((each) => each.setting)).toEqual(['partitions', 'min.insync.replicas']);
  });

  it('of a cold pass covers every offset by GETs in the store, and none while the caches are warm', async () => {
    await using cluster = await startCluster();
    const { objectStore, cooling, brokerStats } = cluster.can;
    await makeTopic(cluster, 'orders');
    const end = await produce(cluster, 'orders', 40, 25);
    const metadata = await cluster.client.metadata(['orders'], { remainingMs: () => 5_000, signal });
    const topicId = metadata.topics[0]!.topicId;

    const pass = async () => {
      const sinceWallMs = systemClock.wall();
      const before = await brokerStats.read(signal);
      expect(await countRecords(cluster, 'orders', end)).toBe(end);
      const requests = await objectStore.requests!(sinceWallMs, signal);
      const range = { topicId, partition: 0, from: 0, to: end, sinceWallMs, untilWallMs: systemClock.wall() };
      return {
        reads: await accountColdReads(range, requests, objectStore, signal),
        sources: readSourcesBetween(before, await brokerStats.read(signal)),
      };
    };

    const warm = await pass();
    expect(warm.reads.covered).toEqual([]);
    expect(warm.sources.objectBytes).toBe(0);
    await cooling.cool(signal);
    const cold = await pass();
    expect(cold.reads.uncovered).toEqual([]);
    expect(cold.reads.covered).toEqual([{ from: 0, to: end }]);
    expect(cold.sources).toMatchObject({ cacheBytes: 0, walBytes: 0 });
    expect(cold.sources.objectBytes).toBeGreaterThan(end * 200);

    const inventory = await takeInventory(objectStore, signal);
    const objects = inventory.partitions.find((each) => each.topicId === topicId);
    expect(objects?.offsets).toEqual([{ from: 0, to: end }]);
  });
});
