// The wire client against brokers of another implementation, librdkafka's mock cluster, and its batches read by kcat.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { APACHE_KAFKA_PROFILE } from '../../src/outcomes.ts';
import type { Offset } from '../../src/vocabulary.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { deadlineAfter } from '../../src/wire/deadline.ts';
import { fetchMetadata } from '../../src/wire/evidence-calls.ts';
import { Producer } from '../../src/wire/producer.ts';
import { Reader } from '../../src/wire/reader.ts';
import { type MockCluster, startMockCluster } from '../support/librdkafka-mock.ts';
import { describeSystem } from '../support/systems.ts';

const TOPIC = 'orders';
const LIMIT = { deadlineMs: 10_000 };

const clientOf = (cluster: MockCluster): ClusterClient =>
  new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'ackproof-systems' });

const producerOf = (client: ClusterClient, idempotent: boolean): Producer =>
  new Producer({
    client,
    topic: TOPIC,
    partition: 1,
    acks: 'all',
    idempotent,
    retry: 'none',
    attemptTimeoutMs: 5_000,
    deliveryTimeoutMs: 10_000,
    profile: APACHE_KAFKA_PROFILE,
  });

/** Where the log begins and ends. From version 4 on these brokers write the leader epoch twice, which we refuse to read. */
const boundsOf = async (client: ClusterClient): Promise<(number | undefined)[]> => {
  const { connection } = await client.leaderConnection(TOPIC, 1, deadlineAfter(10_000));
  const ask = async (timestamp: number): Promise<number | undefined> => {
    const body = { topics: [{ name: TOPIC, partitions: [{ partitionIndex: 1, timestamp }] }] };
    const answer = await connection.request('ListOffsets', body, { ...LIMIT, version: 3 });
    return answer.topics[0]?.partitions[0]?.offset;
  };
  return [await ask(-2), await ask(-1)];
};

const records = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: Buffer.from(`key-${from + index}`),
    value: Buffer.alloc(40, 97 + ((from + index) % 26)),
    timestamp: 1_700_000_000_000 + index,
    headers: [{ key: 'n', value: Buffer.from(String(from + index)) }],
  }));

describeSystem('kcat', () => {
  it('negotiates old versions and sees brokers and leaders', async () => {
    await using cluster = await startMockCluster(3);
    const client = clientOf(cluster);
    const metadata = await fetchMetadata(client, [TOPIC], LIMIT);
    expect(metadata.brokers).toHaveLength(3);
    expect(metadata.topics[0]?.partitions.map(({ partition }) => partition)).toEqual([0, 1, 2, 3]);
    client.close();
  });

  it.each([false, true])(
    'produces (idempotent: %s) and reads back what it sent, where it was told',
    async (idempotent) => {
      await using cluster = await startMockCluster(3);
      const client = clientOf(cluster);
      const lane = producerOf(client, idempotent);
      for (let batch = 0; batch < 10; batch++) {
        expect(await lane.send(records(batch * 50, 50))).toMatchObject({
          outcome: 'ok',
          baseOffset: batch * 50,
          attempts: 1,
        });
      }
      expect(await boundsOf(client)).toEqual([0, 500]);

      const reader = new Reader({ client, topic: TOPIC, isolation: 'read_committed', maxWaitMs: 10 });
      const seen: string[] = [];
      for (let position = 0; position < 500; ) {
        const answer = await reader.read(1, position as Offset, 8_000, 10_000);
        if (answer.kind !== 'batches') throw new Error('The position was out of range.');
        for (const batch of answer.batches) {
          expect(batch.crcOk).toBe(true);
          for (const { offset, key, headers } of batch.records)
            seen.push(`${offset} ${String(key)} ${String(headers[0]?.value)}`);
        }
        position = answer.nextOffset;
      }
      expect(seen).toEqual(Array.from({ length: 500 }, (_, offset) => `${offset} key-${offset} ${offset}`));
      expect(await reader.read(1, 10_000 as Offset, 8_000, 10_000)).toMatchObject({ kind: 'out-of-range' });
      client.close();
    },
  );

  it('writes batches that kcat reads with checksums on', async () => {
    await using cluster = await startMockCluster(1);
    const client = clientOf(cluster);
    await producerOf(client, true).send(records(0, 20));
    const brokers = cluster.bootstrap.map(({ host, port }) => `${host}:${port}`).join(',');
    const consumer = [
      '-C',
      '-b',
      brokers,
      '-t',
      TOPIC,
      '-p',
      '1',
      '-o',
      'beginning',
      '-c',
      '20',
      '-X',
      'check.crcs=true',
    ];
    const kcat = spawnSync('kcat', [...consumer, '-f', '%o %k %h %T\n', '-q'], { timeout: 30_000, encoding: 'utf8' });
    const expected = Array.from({ length: 20 }, (_, n) => `${n} key-${n} n=${n} ${1_700_000_000_000 + n}\n`);
    expect(kcat.stdout).toBe(expected.join(''));
    client.close();
  });
});
