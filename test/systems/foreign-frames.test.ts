// What other people's clients and Apache Kafka really say to each other, held against our message table: every frame that
// passes is decoded and encoded again byte for byte. With ACKPROOF_RECORD=1 the frames replace those in test/fixtures/wire/,
// which the fuzz test damages.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiName } from '../../src/wire/message-table.ts';
import {
  decodeRequestFrame,
  decodeResponseFrame,
  encodeRequestFrame,
  encodeResponseFrame,
} from '../../src/wire/protocol.ts';
import { storeFrames } from '../support/frame-fixtures.ts';
import { FrameRecorder, type RecordedFrame } from '../support/frame-recorder.ts';
import { describeSystem } from '../support/systems.ts';
import { type KafkaCluster, startKafka } from './kafka/kafka-cluster.ts';

const TOPIC = 'orders';
/** Not everything of kafkajs can be imported by name in plain Node. */
const { ConfigResourceTypes, Kafka, logLevel } = kafkajs;
const PROGRAM_LIMIT_MS = 90_000;

const run = async (program: string, args: readonly string[], input = ''): Promise<string> =>
  await new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', () => reject(new Error(`${program} is not here. Install kcat and a Java runtime.`)));
    const timer = setTimeout(() => child.kill('SIGKILL'), PROGRAM_LIMIT_MS);
    child.once('close', () => {
      clearTimeout(timer);
      resolve(output);
    });
    child.stdin.end(input);
  });

const encodedAgain = ({ direction, api, version, frame }: RecordedFrame): Buffer => {
  if (direction === 'request') {
    const decoded = decodeRequestFrame(frame);
    return encodeRequestFrame(decoded.api, version, decoded, decoded.body as never).subarray(4);
  }
  const { correlationId, body } = decodeResponseFrame(api as ApiName, version, frame);
  return encodeResponseFrame(api as ApiName, version, correlationId, body as never).subarray(4);
};

describeSystem('kafka', () => {
  let cluster: KafkaCluster;
  const recorder = new FrameRecorder();
  let bootstrap = '';

  beforeAll(async () => {
    cluster = await startKafka(1);
    const [host = '', port] = cluster.bootstrapServers[0]!.split(':');
    const tap = await recorder.tapFor({ host, port: Number(port) });
    bootstrap = `${tap.host}:${tap.port}`;
  });
  afterAll(async () => {
    await recorder.stop();
    await cluster[Symbol.asyncDispose]();
  });

  const java = async (program: string, ...args: readonly string[]): Promise<string> => {
    const options = ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-cp', `${cluster.libs}/*`];
    return await run('java', [...options, program, '--bootstrap-server', bootstrap, ...args]);
  };

  /** Runs a client under a name, then holds all of its frames against the table. */
  const recorded = async (client: string, use: () => Promise<void>): Promise<void> => {
    recorder.client = client;
    await use();
    expect(recorder.troubles).toEqual([]);
    const frames = recorder.frames.filter((frame) => frame.client === client);
    expect(frames.length).toBeGreaterThan(5);
    for (const frame of frames) expect(encodedAgain(frame).toString('hex')).toBe(frame.frame.toString('hex'));
    if (process.env['ACKPROOF_RECORD'] === '1') storeFrames(client, frames);
  };

  test('kafkajs: admin, producers with and without idempotence, a group consumer', async () => {
    await recorded('kafkajs', async () => {
      const kafka = new Kafka({ brokers: [bootstrap], clientId: 'kafkajs-client', logLevel: logLevel.NOTHING });
      const admin = kafka.admin();
      await admin.connect();
      await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 2, replicationFactor: 1 }] });
      await admin.fetchTopicMetadata({ topics: [TOPIC] });
      await admin.describeConfigs({
        includeSynonyms: true,
        resources: [{ type: ConfigResourceTypes.TOPIC, name: TOPIC }],
      });
      for (const idempotent of [false, true]) {
        const producer = kafka.producer({ idempotent });
        await producer.connect();
        await producer.send({ topic: TOPIC, messages: [{ key: 'k', value: 'v', partition: 0, headers: { h: 'x' } }] });
        const messages = ['a', 'b', 'c', 'd', 'e'].map((value) => ({ key: null, value: value.repeat(50) }));
        await producer.send({ topic: TOPIC, messages });
        await producer.disconnect();
      }
      const consumer = kafka.consumer({ groupId: 'by-kafkajs', sessionTimeout: 6_000, heartbeatInterval: 500 });
      await consumer.connect();
      await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
      let count = 0;
      await new Promise<void>((resolve, reject) => {
        const onRecord = (): Promise<void> => {
          if (++count === 12) resolve();
          return Promise.resolve();
        };
        consumer.run({ eachMessage: onRecord }).catch(reject);
      });
      await consumer.commitOffsets([{ topic: TOPIC, partition: 0, offset: '1' }]);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await consumer.disconnect();
      await admin.fetchOffsets({ groupId: 'by-kafkajs', topics: [TOPIC] });
      await admin.fetchTopicOffsets(TOPIC);
      await admin.listGroups();
      await admin.describeGroups(['by-kafkajs']);
      await admin.createTopics({ topics: [{ topic: 'gone', numPartitions: 1, replicationFactor: 1 }] });
      await admin.deleteTopics({ topics: ['gone'] });
      await admin.disconnect();
    });
  });

  test('kcat: listing, producers with and without idempotence, offsets, readers alone and in a group', async () => {
    await recorded('kcat', async () => {
      await run('kcat', ['-b', bootstrap, '-L']);
      await run('kcat', ['-b', bootstrap, '-P', '-t', TOPIC, '-p', '0', '-H', 'h=x', '-K', ':'], 'a:1\nb:2\n');
      await run('kcat', ['-b', bootstrap, '-P', '-t', TOPIC, '-X', 'enable.idempotence=true'], 'c\nd\n');
      await run('kcat', ['-b', bootstrap, '-Q', '-t', `${TOPIC}:0:-1`]);
      const all = await run('kcat', ['-b', bootstrap, '-C', '-t', TOPIC, '-o', 'beginning', '-e', '-q']);
      expect(all.trim().split('\n')).toHaveLength(16);
      const group = ['-G', 'by-kcat', '-c', '10', '-X', 'auto.offset.reset=earliest', TOPIC];
      expect((await run('kcat', ['-b', bootstrap, '-q', ...group])).trim().split('\n')).toHaveLength(10);
    });
  });

  test('Java: producer, consumers of both kinds, admin tools', async () => {
    await recorded('java-producer', async () => {
      const output = await java('org.apache.kafka.tools.VerifiableProducer', '--topic', TOPIC, '--max-messages', '20');
      expect(output).toContain('"acked":20');
    });
    await recorded('java-consumer', async () => {
      const limits = ['--topic', TOPIC, '--max-messages', '12'];
      const console = ['--from-beginning', '--consumer-property', 'group.id=by-console'];
      await java('org.apache.kafka.tools.consumer.ConsoleConsumer', ...limits, ...console);
      const verifiable = ['--group-id', 'by-verifiable', '--reset-policy', 'earliest'];
      await java('org.apache.kafka.tools.VerifiableConsumer', ...limits, ...verifiable);
    });
    await recorded('java-admin', async () => {
      const topics = 'org.apache.kafka.tools.TopicCommand';
      await java(topics, '--create', '--topic', 'by-java', '--partitions', '2', '--replication-factor', '1');
      await java(topics, '--describe');
      await java('kafka.admin.ConfigCommand', '--describe', '--entity-type', 'topics', '--entity-name', TOPIC, '--all');
      await java('org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', '--describe', '--all-groups');
      await java('org.apache.kafka.tools.GetOffsetShell', '--topic', TOPIC);
      await java(topics, '--delete', '--topic', 'by-java');
    });
  }, 400_000);

  test('Java: the orders and questions of administrators', async () => {
    await recorded('java-orders', async () => {
      const broker = ['--entity-type', 'brokers', '--entity-name', '1'];
      await java('kafka.admin.ConfigCommand', '--alter', ...broker, '--add-config', 'message.max.bytes=900000');
      await java('kafka.admin.ConfigCommand', '--alter', ...broker, '--delete-config', 'message.max.bytes');
      await java('org.apache.kafka.tools.LogDirsCommand', '--describe', '--topic-list', TOPIC);
      const elections = ['--election-type', 'preferred', '--all-topic-partitions'];
      await java('org.apache.kafka.tools.LeaderElectionCommand', ...elections);
      const folder = mkdtempSync(join(tmpdir(), 'ackproof-orders-'));
      const plan = join(folder, 'plan.json');
      const partitions = [{ topic: TOPIC, partition: 0, replicas: [1] }];
      writeFileSync(plan, JSON.stringify({ version: 1, partitions }));
      const reassign = 'org.apache.kafka.tools.reassign.ReassignPartitionsCommand';
      await java(reassign, '--execute', '--reassignment-json-file', plan);
      await java(reassign, '--list');
      rmSync(folder, { recursive: true, force: true });
    });
    const asked = new Set(recorder.frames.filter(({ client }) => client === 'java-orders').map(({ api }) => api));
    for (const api of [
      'AlterPartitionReassignments',
      'DescribeLogDirs',
      'ElectLeaders',
      'IncrementalAlterConfigs',
      'ListPartitionReassignments',
    ]) {
      expect([...asked]).toContain(api);
    }
  });
});
