// The calls of administrators against real Apache Kafka: partitions with their eligible replicas, special offsets, directories,
// elections, reassignments and settings, each change seen in effect and put back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { APACHE_KAFKA_PROFILE } from '../../src/outcomes.ts';
import type { BrokerId } from '../../src/vocabulary.ts';
import { isNotServed } from '../../src/wire/api-negotiation.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { changeSettings, describeSettings } from '../../src/wire/config-changes.ts';
import { findOffset } from '../../src/wire/evidence-calls.ts';
import { electPreferredLeaders } from '../../src/wire/leader-election.ts';
import { describeLogDirs } from '../../src/wire/log-dirs.ts';
import { describePartitions, type PartitionEvidence } from '../../src/wire/partition-evidence.ts';
import { Producer } from '../../src/wire/producer.ts';
import { ongoingReassignments, reassignPartitions } from '../../src/wire/reassignment.ts';
import { createTopic } from '../../src/wire/topic-calls.ts';
import { describeSystem } from '../support/systems.ts';
import { type KafkaCluster, startKafka } from './kafka/kafka-cluster.ts';

const LIMIT = { deadlineMs: 60_000 };
const TOPIC = 'admin-calls';
const PLACE = { topic: TOPIC, partition: 0 };
const PATIENCE_MS = 30_000;

const addressOf = (text: string): { host: string; port: number } => {
  const [host, port] = text.split(':');
  return { host: host ?? '', port: Number(port) };
};

describeSystem('kafka', () => {
  let cluster: KafkaCluster;
  let client: ClusterClient;

  beforeAll(async () => {
    cluster = await startKafka(3);
    client = new ClusterClient({ bootstrap: cluster.bootstrapServers.map(addressOf), clientId: 'ackproof-systems' });
    await createTopic(client, { name: TOPIC, partitions: 1, replicationFactor: 2, config: {} }, LIMIT);
    const lane = new Producer({
      client,
      ...PLACE,
      acks: 'all',
      idempotent: true,
      retry: 'same-batch',
      attemptTimeoutMs: 4_000,
      deliveryTimeoutMs: 60_000,
      profile: APACHE_KAFKA_PROFILE,
    });
    const now = systemClock.wall();
    for (const laterMs of [1000, 3000, 2000]) {
      const sent = await lane.send([{ key: null, value: Buffer.alloc(50), timestamp: now + laterMs }]);
      if (sent.outcome !== 'ok') throw new Error(JSON.stringify(sent));
    }
  });
  afterAll(async () => {
    client.close();
    await cluster[Symbol.asyncDispose]();
  });

  const partitionNow = async (): Promise<PartitionEvidence> => (await describePartitions(client, TOPIC, LIMIT))[0]!;

  /** Looks until `wanted` is seen; any broker may be behind for a moment. */
  const seen = async (wanted: (now: PartitionEvidence) => boolean): Promise<PartitionEvidence> => {
    const until = systemClock.now() + PATIENCE_MS;
    for (;;) {
      const now = await partitionNow();
      if (wanted(now) || systemClock.now() > until) return now;
      await systemClock.sleep(100);
    }
  };

  test('partitions are told with leader epoch, replicas in sync, and the sets of eligible ones', async () => {
    const now = await seen(({ inSync }) => inSync.length === 2);
    expect(now).toMatchObject({ partition: 0, leaderEpoch: 0, offline: [], eligible: [], lastKnownEligible: [] });
    expect([...now.inSync].sort()).toEqual([...now.replicas].sort());
    expect(now.replicas).toContain(now.leader);
  });

  test('the youngest record and the start on disk are found; nothing is tiered', async () => {
    expect(await findOffset(client, PLACE, 'max-timestamp', LIMIT)).toEqual({ offset: 1, leaderEpoch: 0 });
    expect(await findOffset(client, PLACE, 'earliest-local', LIMIT)).toMatchObject({ offset: 0 });
    expect(await findOffset(client, PLACE, 'latest-tiered', LIMIT)).toBeUndefined();
    // Kafka 4.1 does not know this one yet.
    const asked = findOffset(client, PLACE, 'earliest-pending-upload', LIMIT);
    expect(isNotServed(await asked.catch((thrown: unknown) => thrown))).toBe(true);
  });

  test('a broker tells the replicas on its own disks, and only those', async () => {
    const { replicas } = await partitionNow();
    const away = ([1, 2, 3] as BrokerId[]).find((id) => !replicas.includes(id))!;
    for (const [broker, count] of [
      [replicas[0]!, 1],
      [away, 0],
    ] as const) {
      const [directory, ...more] = await describeLogDirs(client, broker, [PLACE], LIMIT);
      expect(more).toEqual([]);
      expect(directory).toMatchObject({ errorCode: 0 });
      expect(directory?.totalBytes).toBeGreaterThan(0);
      expect(directory?.replicas.map(({ topic, partition }) => `${topic}/${partition}`)).toEqual(
        count === 0 ? [] : [`${TOPIC}/0`],
      );
    }
  });

  test('another order of the replicas, and an election, move the leadership by one epoch', async () => {
    const before = await partitionNow();
    const [first, second] = before.replicas as [BrokerId, BrokerId];
    expect(before.leader).toBe(first);
    expect(await electPreferredLeaders(client, [PLACE], LIMIT)).toEqual([{ ...PLACE, hasChanged: false }]);
    await reassignPartitions(client, [{ ...PLACE, replicas: [second, first] }], LIMIT);
    expect(await electPreferredLeaders(client, [PLACE], LIMIT)).toEqual([{ ...PLACE, hasChanged: true }]);
    const after = await seen(({ leader }) => leader === second);
    expect(after).toMatchObject({ leader: second, leaderEpoch: before.leaderEpoch + 1, replicas: [second, first] });
  });

  test('a reassignment moves a replica to another broker, where its log is', async () => {
    const { replicas } = await partitionNow();
    const [first] = replicas as [BrokerId];
    const added = ([1, 2, 3] as BrokerId[]).find((id) => !replicas.includes(id))!;
    await reassignPartitions(client, [{ ...PLACE, replicas: [first, added] }], LIMIT);
    const moved = await seen((now) => now.inSync.includes(added) && now.replicas.length === 2);
    expect(moved.replicas).toEqual([first, added]);
    expect(await ongoingReassignments(client, [PLACE], LIMIT)).toEqual([]);
    const [directory] = await describeLogDirs(client, added, [PLACE], LIMIT);
    expect(directory?.replicas).toHaveLength(1);
  });

  test('replicas on brokers that are not there are refused', async () => {
    const asked = reassignPartitions(client, [{ ...PLACE, replicas: [1, 99] as BrokerId[] }], LIMIT);
    await expect(asked).rejects.toMatchObject({ code: 'WIRE_REFUSED', kafkaCode: 39 });
  });

  test('a setting of one broker is set, seen as its own, and taken away', async () => {
    const resource = { type: 'broker', name: '2' } as const;
    const name = 'message.max.bytes';
    const before = (await describeSettings(client, resource, [name], LIMIT)).get(name);
    expect(before).toEqual({ value: '1048588', isOwn: false });
    await changeSettings(client, resource, { [name]: '20000' }, LIMIT);
    await expect
      .poll(async () => (await describeSettings(client, resource, [name], LIMIT)).get(name), { timeout: PATIENCE_MS })
      .toEqual({ value: '20000', isOwn: true });
    const peer = await describeSettings(client, { type: 'broker', name: '1' }, [name], LIMIT);
    expect(peer.get(name)).toEqual(before);
    await changeSettings(client, resource, { [name]: null }, LIMIT);
    await expect
      .poll(async () => (await describeSettings(client, resource, [name], LIMIT)).get(name), { timeout: PATIENCE_MS })
      .toEqual(before);
    const asked = changeSettings(client, resource, { [name]: 'many' }, LIMIT);
    await expect(asked).rejects.toMatchObject({ code: 'WIRE_REFUSED' });
  });
});
