// Clients that were not written for us against the embedded cluster: librdkafka through kcat, and Apache Kafka's own Java
// clients and tools. They share no code with src/wire.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTopic, type RunningCluster, startCluster } from '../embedded/running-cluster.ts';
import { describeSystem, needKcat } from '../support/systems.ts';
import { kafkaLibs } from './kafka/kafka-cluster.ts';

const run = promisify(execFile);
const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${index + 1}`);
const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

let cluster: RunningCluster;
let bootstrap: string;

const start = async (): Promise<void> => {
  cluster = await startCluster();
  bootstrap = cluster.target.bootstrap.map(({ host, port }) => `${host}:${port}`).join(',');
};
const stop = async (): Promise<void> => await cluster[Symbol.asyncDispose]();

/** Runs a program with `input` on its standard input; its standard output. */
const withInput = async (program: string, args: readonly string[], input: string): Promise<string> => {
  const running = run(program, [...args], { timeout: 60_000 });
  running.child.stdin?.end(input);
  return (await running).stdout;
};

describeSystem('kcat', () => {
  beforeAll(async () => {
    needKcat();
    await start();
    await createTopic(cluster, 'kcat', 3);
  });
  afterAll(stop);

  const kcat = async (args: readonly string[], input = ''): Promise<string> =>
    await withInput('kcat', ['-b', bootstrap, ...args], input);

  test('librdkafka produces idempotently and compressed, and reads everything back with checksums on', async () => {
    const produce = ['-P', '-t', 'kcat', '-X', 'acks=all', '-X', 'enable.idempotence=true'];
    await kcat(produce, `${numbers(500).join('\n')}\n`);
    await kcat([...produce, '-z', 'lz4'], `${numbers(500).join('\n')}\n`);
    const read = lines(await kcat(['-C', '-t', 'kcat', '-e', '-q', '-X', 'check.crcs=true']));
    expect(read.toSorted()).toEqual([...numbers(500), ...numbers(500)].toSorted());
  });

  test('librdkafka consumes as a group', async () => {
    const read = lines(await kcat(['-G', 'kcat-group', '-e', '-q', '-X', 'auto.offset.reset=earliest', 'kcat']));
    expect(read).toHaveLength(1000);
  });

  test('librdkafka lists the cluster at its proxied addresses', async () => {
    const listed = JSON.parse(await kcat(['-L', '-J'])) as { readonly brokers: readonly { readonly name: string }[] };
    expect(listed.brokers.map((broker) => broker.name).join(',')).toBe(bootstrap);
  });
});

describeSystem('kafka', () => {
  let libs: string;
  beforeAll(async () => {
    libs = kafkaLibs();
    await start();
    await createTopic(cluster, 'java', 3);
  });
  afterAll(stop);

  const java = async (mainClass: string, args: readonly string[], input = ''): Promise<string> => {
    const machine = ['-Xmx200m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', join(libs, '*')];
    const tool = `org.apache.kafka.tools.${mainClass}`;
    return await withInput('java', [...machine, tool, '--bootstrap-server', bootstrap, ...args], input);
  };

  test("Java's VerifiableProducer has every record acknowledged, and the console consumer reads them in a group", async () => {
    const produced = await java('VerifiableProducer', [
      '--topic',
      'java',
      '--max-messages',
      '2000',
      '--throughput',
      '-1',
    ]);
    const summary = JSON.parse(lines(produced).at(-1) ?? '{}') as object;
    expect(summary).toMatchObject({ name: 'tool_data', sent: 2000, acked: 2000 });
    const consume = ['--topic', 'java', '--from-beginning', '--group', 'java-group', '--max-messages', '2000'];
    const read = lines(await java('consumer.ConsoleConsumer', consume));
    expect(new Set(read).size).toBe(2000);
  });

  test("Java's idempotent producer and admin tools work", async () => {
    const idempotent = ['--producer-property', 'enable.idempotence=true', '--producer-property', 'acks=all'];
    await java('ConsoleProducer', ['--topic', 'java', ...idempotent], `${numbers(200).join('\n')}\n`);
    const ends = lines(await java('GetOffsetShell', ['--topic', 'java']));
    expect(ends.reduce((sum, line) => sum + Number(line.split(':')[2]), 0)).toBe(2200);
    expect(await java('consumer.group.ConsumerGroupCommand', ['--describe', '--group', 'java-group'])).toMatch(
      /java-group/,
    );
    expect(await java('TopicCommand', ['--describe', '--topic', 'java'])).toMatch(/PartitionCount: 3/);
  });
});
