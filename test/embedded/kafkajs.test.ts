// kafkajs, unmodified, against the embedded cluster: what a user's first client would do.
import { CompressionTypes, ConfigResourceTypes, type Consumer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTopic, kafkaOf, type RunningCluster, readAll, startCluster } from './running-cluster.ts';

let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

/** Runs `use` with a connected admin client. */
const withAdmin = async <T>(
  use: (admin: ReturnType<ReturnType<typeof kafkaOf>['admin']>) => Promise<T>,
): Promise<T> => {
  const admin = kafkaOf(cluster).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
};

/** Resolves once `consumer` has seen `count` keys. */
const collect = async (consumer: Consumer, count: number): Promise<readonly string[]> => {
  const keys: string[] = [];
  await new Promise<void>((resolve) => {
    void consumer.run({
      eachMessage: async ({ message }) => {
        await Promise.resolve();
        keys.push(message.key?.toString() ?? '');
        if (keys.length === count) resolve();
      },
    });
  });
  return keys;
};

describe('the admin client', () => {
  it('creates, describes, lists and deletes a topic', async () => {
    await withAdmin(async (admin) => {
      const topic = { topic: 'admin', numPartitions: 3, replicationFactor: 3 };
      expect(await admin.createTopics({ topics: [topic] })).toBe(true);
      expect(await admin.createTopics({ topics: [topic] })).toBe(false);
      const { topics } = await admin.fetchTopicMetadata({ topics: ['admin'] });
      const partitions = topics[0]?.partitions ?? [];
      expect(new Set(partitions.map((partition) => partition.leader))).toEqual(new Set([1, 2, 3]));
      expect(partitions.every((partition) => partition.isr.length === 3)).toBe(true);
      expect(await admin.listTopics()).toContain('admin');
      await admin.deleteTopics({ topics: ['admin'] });
      expect(await admin.listTopics()).not.toContain('admin');
    });
  });

  it('is told clearly what is wrong with a topic', async () => {
    await withAdmin(async (admin) => {
      const refusal = async (topic: object): Promise<unknown> =>
        await admin
          .createTopics({ topics: [{ topic: 'wrong', numPartitions: 1, replicationFactor: 3, ...topic }] })
          .catch(
            (thrown: unknown) =>
              (thrown as { readonly errors?: readonly { readonly type: string }[] }).errors?.[0]?.type,
          );
      expect(await refusal({ replicationFactor: 4 })).toBe('INVALID_REPLICATION_FACTOR');
      expect(await refusal({ topic: 'no/slash' })).toBe('INVALID_TOPIC_EXCEPTION');
      const compacted = [{ name: 'cleanup.policy', value: 'compact' }];
      expect(await refusal({ configEntries: compacted })).toBe('INVALID_CONFIG');
    });
  });

  it('reads back the settings a topic was created with', async () => {
    await withAdmin(async (admin) => {
      const configEntries = [{ name: 'min.insync.replicas', value: '2' }];
      await admin.createTopics({ topics: [{ topic: 'set', numPartitions: 1, replicationFactor: 3, configEntries }] });
      const resources = [{ type: ConfigResourceTypes.TOPIC, name: 'set' }];
      const described = await admin.describeConfigs({ resources, includeSynonyms: false });
      const entries = described.resources[0]?.configEntries ?? [];
      const valueOf = (name: string): string | undefined => entries.find((e) => e.configName === name)?.configValue;
      expect(valueOf('min.insync.replicas')).toBe('2');
      expect(valueOf('unclean.leader.election.enable')).toBe('false');
    });
  });

  it('sees the brokers at their proxied addresses', async () => {
    const described = await withAdmin(async (admin) => await admin.describeCluster());
    const addresses = described.brokers.map(({ host, port }) => ({ host, port }));
    expect(addresses).toEqual(cluster.target.bootstrap);
  });
});

describe('the producer', () => {
  it('gets offsets that count up, and everything is read back in its place', async () => {
    await createTopic(cluster, 'plain', 2);
    const producer = kafkaOf(cluster).producer();
    await producer.connect();
    const acked = new Map<string, string>();
    for (let batch = 0; batch < 6; batch++) {
      const partition = batch % 2;
      const keys = Array.from({ length: 10 }, (_, index) => `${batch}-${index}`);
      const messages = keys.map((key) => ({
        key,
        value: `value of ${key}`,
        partition,
        headers: { batch: `${batch}` },
      }));
      const [answer] = await producer.send({ topic: 'plain', acks: -1, messages });
      keys.forEach((key, index) => acked.set(`${partition}/${Number(answer?.baseOffset) + index}`, key));
    }
    await producer.disconnect();
    expect(acked.size).toBe(60);
    expect(await readAll(cluster, 'plain')).toEqual(acked);
  });

  it('can be idempotent', async () => {
    await createTopic(cluster, 'idempotent', 1);
    const producer = kafkaOf(cluster).producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    for (let batch = 0; batch < 5; batch++) {
      const messages = [{ key: `${batch}`, value: 'v', partition: 0 }];
      const [answer] = await producer.send({ topic: 'idempotent', acks: -1, messages });
      expect(answer?.baseOffset).toBe(`${batch}`);
    }
    await producer.disconnect();
  });

  it('is refused transactions instead of being left waiting', async () => {
    const producer = kafkaOf(cluster, 1).producer({ transactionalId: 'tx', maxInFlightRequests: 1, idempotent: true });
    await producer.connect();
    await expect(producer.transaction()).rejects.toThrow();
    await producer.disconnect();
  });

  it('can compress: the cluster stores what it is given', async () => {
    await createTopic(cluster, 'gzip', 1);
    const producer = kafkaOf(cluster).producer();
    await producer.connect();
    await producer.send({
      topic: 'gzip',
      compression: CompressionTypes.GZIP,
      messages: [
        { key: 'a', value: 'x'.repeat(1000) },
        { key: 'b', value: 'y' },
      ],
    });
    await producer.disconnect();
    expect([...(await readAll(cluster, 'gzip')).values()]).toEqual(['a', 'b']);
  });
});

describe('consumer groups', () => {
  it('share the partitions of a topic between two members, and each record is seen once', async () => {
    await createTopic(cluster, 'shared', 4);
    const kafka = kafkaOf(cluster);
    const consumers = [1, 2].map(() =>
      kafka.consumer({ groupId: 'pair', heartbeatInterval: 200, maxWaitTimeInMs: 100 }),
    );
    const seen: string[] = [];
    const byMember = new Map<number, Set<number>>();
    for (const [member, consumer] of consumers.entries()) {
      await consumer.connect();
      await consumer.subscribe({ topic: 'shared', fromBeginning: true });
      await consumer.run({
        eachMessage: async ({ message, partition }) => {
          await Promise.resolve();
          seen.push(message.key?.toString() ?? '');
          byMember.set(member, (byMember.get(member) ?? new Set()).add(partition));
        },
      });
    }
    await expect
      .poll(
        async () => {
          const described = await withAdmin(async (admin) => await admin.describeGroups(['pair']));
          return [described.groups[0]?.state, described.groups[0]?.members.length];
        },
        { timeout: 10_000 },
      )
      .toEqual(['Stable', 2]);
    const producer = kafka.producer();
    await producer.connect();
    const keys = Array.from({ length: 40 }, (_, index) => `r${index}`);
    const messages = keys.map((key, index) => ({ key, value: 'v', partition: index % 4 }));
    await producer.send({ topic: 'shared', messages });
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(40);
    expect(new Set(seen)).toEqual(new Set(keys));
    expect([...byMember.values()].map((partitions) => partitions.size)).toEqual([2, 2]);
    await Promise.all([producer.disconnect(), ...consumers.map(async (consumer) => await consumer.disconnect())]);
  });

  it('go on where they stopped', async () => {
    await createTopic(cluster, 'resumed', 1);
    const kafka = kafkaOf(cluster);
    const producer = kafka.producer();
    await producer.connect();
    const send = async (from: number): Promise<void> => {
      const messages = Array.from({ length: 5 }, (_, index) => ({ key: `${from + index}`, value: 'v' }));
      await producer.send({ topic: 'resumed', messages });
    };
    await send(0);
    for (const expected of [
      ['0', '1', '2', '3', '4'],
      ['5', '6', '7', '8', '9'],
    ]) {
      const consumer = kafka.consumer({ groupId: 'resume', maxWaitTimeInMs: 100 });
      await consumer.connect();
      await consumer.subscribe({ topic: 'resumed', fromBeginning: true });
      expect(await collect(consumer, 5)).toEqual(expected);
      await consumer.disconnect();
      await send(5);
    }
    await producer.disconnect();
    const offsets = await withAdmin(
      async (admin) => await admin.fetchOffsets({ groupId: 'resume', topics: ['resumed'] }),
    );
    expect(offsets[0]?.partitions[0]?.offset).toBe('10');
    const { groups } = await withAdmin(async (admin) => await admin.listGroups());
    expect(groups.map((group) => group.groupId)).toContain('resume');
  });
});
