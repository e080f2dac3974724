// The same scenario file that runs on the embedded cluster, against real Apache Kafka: our codec and our judge must not be
// only their own mirror.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { type KafkaCluster, startKafka } from './kafka/kafka-cluster.ts';

const scenarios = resolve(import.meta.dirname, '..', '..', 'scenarios');

describeSystem('kafka', () => {
  let cluster: KafkaCluster;
  let folder: string;

  beforeAll(async () => {
    cluster = await startKafka(3);
    folder = mkdtempSync(join(tmpdir(), 'ackproof-kafka-test-'));
    writeFileSync(
      join(folder, 'kafka.yaml'),
      [
        'apiVersion: ackproof/v1',
        'name: kafka',
        'kind: external',
        'profile: apache-kafka',
        `bootstrapServers: [${cluster.bootstrapServers.map((address) => `"${address}"`).join(', ')}]`,
        '',
      ].join('\n'),
    );
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test('baseline.yaml passes: every acknowledged record is read back by our own client', async () => {
    const out = join(folder, 'runs');
    const run = await runProgram([
      'run',
      join(scenarios, 'baseline.yaml'),
      '--target',
      join(folder, 'kafka.yaml'),
      '--out',
      out,
    ]);
    expect(run.stdout.split('\n')[0], run.stderr).toMatch(/^PASS/);
    expect(run.exitCode).toBe(0);
  });
});
