// The wire client against real Apache Kafka: every evidence call, and an idempotent producer and a reader across the death of
// the partition's leader.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { APACHE_KAFKA_PROFILE } from '../../src/outcomes.ts';
import type { BrokerId, Offset } from '../../src/vocabulary.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import {
  describeCluster,
  describeConfigs,
  describeTopic,
  epochEnd,
  fetchMetadata,
  listOffset,
} from '../../src/wire/evidence-calls.ts';
import { Producer } from '../../src/wire/producer.ts';
import { ZERO_UUID } from '../../src/wire/protocol.ts';
import { Reader } from '../../src/wire/reader.ts';
import { createTopic, deleteTopic } from '../../src/wire/topic-calls.ts';
import { describeSystem } from '../support/systems.ts';
import { type KafkaCluster, startKafka } from './kafka/kafka-cluster.ts';

const LIMIT = { deadlineMs: 60_000 };
const TOPIC = 'wire-client';
const PLACE = { topic: TOPIC, partition: 0 };

const addressOf = (text: string): { host: string; port: number } => {
  const [host, port] = text.split(':');
  return { host: host ?? '', port: Number(port) };
};

const batchOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: Buffer.from(String(from + index)),
    value: Buffer.alloc(100, (from + index) % 256),
    timestamp: 1_700_000_000_000,
  }));

/** Every key from the start of the log to `end`, in the order in which they were read. */
const readKeys = async (client: ClusterClient, end: number): Promise<string[]> => {
  const reader = new Reader({ client, topic: TOPIC, isolation: 'read_committed' });
  const keys: string[] = [];
  for (let position = 0; position < end; ) {
    const answer = await reader.read(0, position as Offset, 100_000, 60_000);
    if (answer.kind !== 'batches') throw new Error(`Offset ${position} is out of range.`);
    for (const { crcOk, records } of answer.batches) {
      expect(crcOk).toBe(true);
      keys.push(...records.map(({ key }) => String(key)));
    }
    position = answer.nextOffset;
  }
  return keys;
};

describeSystem('kafka', () => {
  let cluster: KafkaCluster;
  let client: ClusterClient;

  beforeAll(async () => {
    cluster = await startKafka(3);
    client = new ClusterClient({ bootstrap: cluster.bootstrapServers.map(addressOf), clientId: 'ackproof-systems' });
    const config = { 'min.insync.replicas': '2' };
    await createTopic(client, { name: TOPIC, partitions: 1, replicationFactor: 3, config }, LIMIT);
  });
  afterAll(async () => {
    client.close();
    await cluster[Symbol.asyncDispose]();
  });

  test('the evidence calls tell brokers, topic id, leader epoch and the configuration in force', async () => {
    // Red once in a while before: the broker that is asked first may not have heard of the new topic yet.
    const { topicId, partitions } = await describeTopic(client, TOPIC, LIMIT);
    expect(topicId).toHaveLength(22);
    expect(topicId).not.toBe(ZERO_UUID);
    expect(partitions[0]?.leaderEpoch).toBeGreaterThanOrEqual(0);
    expect(partitions[0]?.replicas).toHaveLength(3);
    const described = await describeCluster(client, LIMIT);
    expect(described.brokers.map(({ id, isFenced }) => `${id} ${String(isFenced)}`).sort()).toEqual([
      '1 false',
      '2 false',
      '3 false',
    ]);
    const settings = await describeConfigs(client, { type: 'topic', name: TOPIC }, LIMIT);
    expect(settings.get('min.insync.replicas')).toBe('2');
    const ofBroker = await describeConfigs(client, { type: 'broker', name: '2' }, LIMIT);
    expect(ofBroker.get('node.id')).toBe('2');
  });

  test('an idempotent producer that repeats its batches loses and doubles nothing when the leader dies', async () => {
    const lane = new Producer({
      client,
      ...PLACE,
      acks: 'all',
      idempotent: true,
      retry: 'same-batch',
      attemptTimeoutMs: 4_000,
      deliveryTimeoutMs: 90_000,
      profile: APACHE_KAFKA_PROFILE,
    });
    const before = (await fetchMetadata(client, [TOPIC], LIMIT)).topics[0]!.partitions[0]!;
    const offsets: (Offset | 'untrusted')[] = [];
    for (let batch = 0; batch < 60; batch++) {
      if (batch === 20) await cluster.kill(before.leader as BrokerId);
      const result = await lane.send(batchOf(batch * 10, 10));
      if (result.outcome !== 'ok') throw new Error(JSON.stringify(result));
      offsets.push(result.baseOffset);
    }
    expect(offsets).toEqual(Array.from({ length: 60 }, (_, batch) => batch * 10));

    const after = (await fetchMetadata(client, [TOPIC], LIMIT)).topics[0]!.partitions[0]!;
    expect(after.leader).not.toBe(before.leader);
    expect(after.leaderEpoch).toBeGreaterThan(before.leaderEpoch);
    expect(await readKeys(client, 600)).toEqual(Array.from({ length: 600 }, (_, key) => String(key)));
    expect(await listOffset(client, PLACE, 'latest', 'read_committed', LIMIT)).toMatchObject({ offset: 600 });
    expect(await listOffset(client, PLACE, 'earliest', 'read_committed', LIMIT)).toMatchObject({ offset: 0 });
    expect(await epochEnd(client, PLACE, before.leaderEpoch, LIMIT)).toEqual({
      offset: 200,
      leaderEpoch: before.leaderEpoch,
    });
  });

  test('an offset out of range is told, and a deleted topic is gone', async () => {
    const reader = new Reader({ client, topic: TOPIC, isolation: 'read_committed' });
    expect(await reader.read(0, 100_000 as Offset, 1000, 60_000)).toMatchObject({ kind: 'out-of-range' });
    await deleteTopic(client, TOPIC, LIMIT);
    await expect(deleteTopic(client, TOPIC, LIMIT)).rejects.toMatchObject({ kafkaCode: 3 });
  });
});
