// What the Java client compresses, through a real broker, read by both of our readers. With ACKPROOF_RECORD=1 the first batch of
// each codec replaces test/fixtures/compressed/java.json, which the unit tests read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReadRecord } from '../../src/clients/client.ts';
import { openKafkaJsReader } from '../../src/clients/kafkajs-reader.ts';
import { openWireReader } from '../../src/clients/wire-reader.ts';
import { mayUseGroup } from '../../src/wire/access-calls.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { deadlineAfter } from '../../src/wire/deadline.ts';
import { readBatchHeader } from '../../src/wire/record-batch.ts';
import { createTopic } from '../../src/wire/topic-calls.ts';
import { describeSystem } from '../support/systems.ts';
import { type KafkaCluster, startKafka } from './kafka/kafka-cluster.ts';

const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'] as const;
const RECORDS = 300;
const LIMIT = { deadlineMs: 60_000 };
const FIXTURE = resolve(import.meta.dirname, '../fixtures/compressed/java.json');

const addressOf = (text: string): { host: string; port: number } => {
  const [host, port] = text.split(':');
  return { host: host ?? '', port: Number(port) };
};

describeSystem('kafka', () => {
  let cluster: KafkaCluster;
  let client: ClusterClient;
  let folder: string;
  const recorded: Record<string, string> = {};

  beforeAll(async () => {
    cluster = await startKafka(1);
    client = new ClusterClient({ bootstrap: cluster.bootstrapServers.map(addressOf), clientId: 'ackproof-systems' });
    folder = mkdtempSync(join(tmpdir(), 'ackproof-compressed-'));
    // kafkajs reads in groups only, and a new cluster has no coordinator for them until it was asked for one.
    await mayUseGroup(client, 'any', LIMIT);
  });
  afterAll(async () => {
    client.close();
    rmSync(folder, { recursive: true, force: true });
    await cluster[Symbol.asyncDispose]();
    if (process.env['ACKPROOF_RECORD'] === '1') writeFileSync(FIXTURE, `${JSON.stringify(recorded, null, 2)}\n`);
  });

  const firstBatch = async (topic: string): Promise<Buffer> => {
    const { connection } = await client.leaderConnection(topic, 0, deadlineAfter(LIMIT.deadlineMs));
    const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000_000 }];
    const body = { maxWaitMs: 500, minBytes: 1, topics: [{ topic, partitions }] };
    const answer = await connection.request('Fetch', body, LIMIT);
    const records = answer.responses[0]?.partitions[0]?.records ?? Buffer.alloc(0);
    return records.subarray(0, readBatchHeader(records, 0).totalBytes);
  };

  test.each(CODECS)('%s: every record that the Java client compressed is read by both readers', async (codec) => {
    const topic = `compressed-${codec}`;
    await createTopic(client, { name: topic, partitions: 1, replicationFactor: 1, config: {} }, LIMIT);
    const settings = join(folder, `${codec}.properties`);
    writeFileSync(settings, `compression.type=${codec}\nlinger.ms=200\n`);
    const words = ['--bootstrap-server', cluster.bootstrapServers.join(','), '--topic', topic];
    const limits = ['--max-messages', String(RECORDS), '--producer.config', settings];
    await cluster.tool('org.apache.kafka.tools.VerifiableProducer', [...words, ...limits]);

    const batch = await firstBatch(topic);
    expect(readBatchHeader(batch, 0).compression).toBe(codec);
    recorded[codec] = batch.toString('base64');
    for (const open of [openWireReader, openKafkaJsReader]) {
      const bootstrap = cluster.bootstrapServers.map(addressOf);
      const reader = await open({ bootstrap, clientId: 'ackproof-systems', security: undefined });
      const read: ReadRecord[] = [];
      const range = {
        topic,
        partition: 0,
        from: 0,
        above: RECORDS - 1,
        done: () => true,
        reachedEnd: 'complete',
      } as const;
      const onRecords = (records: readonly ReadRecord[]): void => void read.push(...records);
      const result = await reader.readRange({
        ...range,
        onRecords,
        deadlineMs: 60_000,
        signal: new AbortController().signal,
      });
      expect(result).toMatchObject({ end: 'complete' });
      expect(read.map(({ value }) => String(value))).toEqual(
        Array.from({ length: RECORDS }, (_, index) => String(index)),
      );
      await reader.close();
    }
  });
});
