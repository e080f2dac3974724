// A cluster whose authorizer refuses what nobody granted, and a topic that others use too. The rights are those that `plan`
// prints, given by Kafka's own tool just as they are printed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openKafkaJsLane } from '../../src/clients/kafkajs-lane.ts';
import { CAUTIOUS_PROFILE } from '../../src/outcomes.ts';
import { type ProgramResult, runProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { grantRights, plannedRights, revokeRight } from './kafka/rights.ts';
import { PASSWORDS, type SecureKafka, startSecureKafka } from './kafka/secure-kafka.ts';

const TOPICS = 'org.apache.kafka.tools.TopicCommand';

describeSystem('kafka', () => {
  let kafka: SecureKafka;
  let target: string;

  beforeAll(async () => {
    kafka = await startSecureKafka(1);
    target = join(kafka.folder, 'drill.yaml');
    const servers = kafka.cluster.serversOf('SECURE').map((address) => `"${address}"`);
    const lines = [
      'apiVersion: ackproof/v1',
      'name: drill',
      'kind: external',
      'profile: apache-kafka',
      `bootstrapServers: [${servers.join(', ')}]`,
      'security:',
      '  protocol: SASL_SSL',
      '  tls: { ca: { file: ca.pem } }',
      '  sasl: { mechanism: SCRAM-SHA-512, username: drill, password: { env: DRILL_PASSWORD } }',
    ];
    writeFileSync(target, `${lines.join('\n')}\n`);
  });
  afterAll(async () => {
    await kafka[Symbol.asyncDispose]();
  });

  const scenario = (name: string, topic: string, more: readonly string[] = []): string => {
    const file = join(kafka.folder, `${name}.yaml`);
    const lines = [
      'apiVersion: ackproof/v1',
      `name: ${name}`,
      'claim: Every acknowledged record is read back, with no more rights than are needed.',
      'target: drill.yaml',
      'contract: { acks: all }',
      'workload:',
      `  topic: { ${topic} }`,
      '  rate: 500/s',
      '  record: { size: 256B, batch: 10 }',
      '  attemptTimeout: 10s',
      '  duration: 3s',
      ...more,
      'baseline: true',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };
  const OWN = 'name: orders, partitions: 2, replicationFactor: 1';

  const env = (): Readonly<Record<string, string>> => {
    const home = join(kafka.folder, 'home');
    mkdirSync(home, { recursive: true });
    return { XDG_STATE_HOME: home, DRILL_PASSWORD: PASSWORDS.drill };
  };

  const run = async (file: string): Promise<ProgramResult> =>
    await runProgram(['run', file, '--target', target, '--out', join(kafka.folder, 'runs')], env());

  const passes = (result: ProgramResult): void => {
    expect(result.stdout.split('\n')[0], result.stderr).toMatch(/^PASS/);
    expect(result.exitCode).toBe(0);
  };

  const planned = async (file: string): Promise<readonly (readonly string[])[]> => {
    const plan = await runProgram(['plan', file, '--target', target], env());
    expect(plan.exitCode, plan.stderr).toBe(0);
    return plannedRights(plan.stdout);
  };

  const grant = async (commands: readonly (readonly string[])[]): Promise<void> => {
    await grantRights(kafka.cluster, commands);
  };

  /** Takes one operation of a command away again. */
  const revoke = async (
    commands: readonly (readonly string[])[],
    operation: string,
    resource: string,
  ): Promise<void> => {
    await revokeRight(kafka.cluster, commands, operation, resource);
  };

  const topicsThere = async (): Promise<readonly string[]> => {
    const listed = await kafka.cluster.tool(TOPICS, [
      '--bootstrap-server',
      kafka.cluster.bootstrapServers.join(','),
      '--list',
    ]);
    return listed.split('\n').filter((line) => line.startsWith('ackproof-'));
  };

  const refused = (result: ProgramResult, words: RegExp): void => {
    expect(result.exitCode, result.stdout + result.stderr).toBe(69);
    const told = result.stderr.split('\n').filter((line) => line.startsWith('ACCESS_REFUSED '));
    expect(told, result.stderr).toHaveLength(1);
    expect(told[0]).toMatch(words);
  };

  describe('with the rights that plan prints, no more', () => {
    test('a run passes with both clients as readers, and leaves no topic; without any one right but that to watch it says which is missing', async () => {
      const file = scenario('least', OWN, ['replay: { client: kafkajs }']);
      refused(await run(file), /Create topic ackproof-/);
      const commands = await planned(file);
      expect(commands).toHaveLength(3);
      await grant(commands);
      passes(await run(file));
      passes(await run(scenario('least-wire', OWN)));
      expect(await topicsThere()).toEqual([]);
      await revoke(commands, 'Describe', '--cluster');
      passes(await run(file));
      for (const operation of ['Create', 'Delete', 'DescribeConfigs', 'Read', 'Write']) {
        await revoke(commands, operation, '--topic');
        refused(
          await run(file),
          operation === 'Create' ? /Create topic/ : new RegExp(` ${operation} on topic ackproof-`),
        );
        await grant(commands);
      }
      await revoke(commands, 'Read', '--group');
      refused(await run(file), /Read on groups ackproof-/);
    }, 900_000);
  });

  describe('a topic that others use too', () => {
    const SHARED = 'name: shared, partitions: 2, replicationFactor: 1, existing: true';
    const configure = async (...words: string[]): Promise<void> => {
      const where = ['--bootstrap-server', kafka.cluster.bootstrapServers.join(',')];
      await kafka.cluster.tool('kafka.admin.ConfigCommand', [
        ...where,
        '--entity-type',
        'topics',
        '--entity-name',
        'shared',
        ...words,
      ]);
    };

    /** Somebody else writes all the time, before the run and during it. */
    const withOthers = async (work: () => Promise<void>): Promise<number> => {
      const [host = '', port = ''] = (kafka.cluster.bootstrapServers[0] ?? '').split(':');
      const lane = openKafkaJsLane({
        bootstrap: [{ host, port: Number(port) }],
        clientId: 'somebody-else',
        topic: 'shared',
        partition: 1,
        acks: 'all',
        idempotence: false,
        retry: 'none',
        attemptTimeoutMs: 10_000,
        deliveryTimeoutMs: 10_000,
        profile: CAUTIOUS_PROFILE,
      });
      const over = new AbortController();
      let written = 0;
      const writing = (async () => {
        while (!over.signal.aborted) {
          const result = await lane.send([
            { key: Buffer.from('theirs'), value: Buffer.from(`${written}`), headers: {} },
          ]);
          if (result.outcome === 'ok') written += 1;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await work();
      over.abort();
      await writing;
      await lane.close();
      return written;
    };

    test('passes amid the records of others, with rights on this topic alone, and leaves it there', async () => {
      await kafka.cluster.tool(TOPICS, [
        ...['--bootstrap-server', kafka.cluster.bootstrapServers.join(',')],
        ...['--create', '--topic', 'shared', '--partitions', '2', '--replication-factor', '1'],
      ]);
      const file = scenario('shared', SHARED);
      refused(await run(file), /DescribeConfigs, Read, Write on topic shared/);
      await grant(await planned(file));
      const written = await withOthers(async () => passes(await run(file)));
      expect(written).toBeGreaterThan(20);
      const listed = await kafka.cluster.tool(TOPICS, [
        '--bootstrap-server',
        kafka.cluster.bootstrapServers.join(','),
        '--list',
      ]);
      expect(listed.split('\n')).toContain('shared');
    });

    test('is refused where it is not what the contract says: compacted, other partitions, kept for too short a time, not there', async () => {
      const file = scenario('shared', SHARED);
      await configure('--alter', '--add-config', 'cleanup.policy=compact');
      const compacted = await run(file);
      expect(compacted.exitCode).toBe(69);
      expect(compacted.stderr).toMatch(/CONTRACT_MISMATCH .*cleanup\.policy: wanted delete, found compact/);
      await configure('--alter', '--add-config', 'cleanup.policy=delete,retention.ms=60000');
      const brief = await run(file);
      expect(brief.exitCode).toBe(69);
      expect(brief.stderr).toMatch(/TOPIC_KEEPS_TOO_SHORT .*shared keeps records for 60s/);
      await configure('--alter', '--delete-config', 'retention.ms,cleanup.policy');
      const other = await run(scenario('shared', SHARED.replace('partitions: 2', 'partitions: 3')));
      expect(other.exitCode).toBe(69);
      expect(other.stderr).toMatch(/CONTRACT_MISMATCH .*partitions: wanted 3, found 2/);
      await grant(await planned(scenario('least', OWN)));
      const nowhere = await run(scenario('nowhere', SHARED.replace('shared', 'ackproof-nowhere')));
      expect(nowhere.exitCode).toBe(69);
      expect(nowhere.stderr).toMatch(/TOPIC_MISSING .*knows no topic ackproof-nowhere\. Create it first/);
      rmSync(join(kafka.folder, 'runs'), { recursive: true, force: true });
    });
  });
});
