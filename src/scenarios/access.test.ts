import { expect, test } from 'vitest';
import type { ExternalSpec } from '../targets/target-spec.ts';
import { assertAccess, grantCommands, grantsOf } from './access.ts';
import { loadScenario } from './loader.ts';

const { scenario } = loadScenario('scenarios/baseline.yaml');
const withTopic = (existing: boolean) => ({
  ...scenario,
  workload: { ...scenario.workload, topic: { ...scenario.workload.topic, existing } },
});
const target: ExternalSpec = {
  apiVersion: 'ackproof/v1',
  kind: 'external',
  name: 'external',
  profile: 'other',
  bootstrapServers: ['a:9092', 'b:9092'],
};
const saslAs = (username: string | { env: string } | { file: string }): ExternalSpec => ({
  ...target,
  security: {
    protocol: 'SASL_SSL',
    sasl: { mechanism: 'PLAIN', username, password: { env: 'P' } },
  },
});

test('topics of the run’s own are made and deleted by their prefix, a topic that exists is only used', () => {
  expect(grantsOf(withTopic(false))[0]).toEqual({
    resource: 'topic',
    name: 'ackproof-',
    prefixed: true,
    operations: ['Create', 'Delete', 'DescribeConfigs', 'Read', 'Write'],
  });
  expect(grantsOf(withTopic(true))[0]).toEqual({
    resource: 'topic',
    name: 'orders',
    prefixed: false,
    operations: ['DescribeConfigs', 'Read', 'Write'],
  });
});

test('the commands are what a shell takes, and name the user without telling what is secret', () => {
  const [topic, group, cluster] = grantCommands(grantsOf(withTopic(false)), saslAs('drill'));
  expect(topic).toBe(
    'kafka-acls.sh --bootstrap-server a:9092 --add --allow-principal User:drill --operation Create --operation Delete ' +
      '--operation DescribeConfigs --operation Read --operation Write --topic ackproof- --resource-pattern-type prefixed',
  );
  expect(group).toMatch(/--operation Read --group ackproof- --resource-pattern-type prefixed$/);
  expect(cluster).toMatch(/--allow-principal User:drill --operation Describe --cluster$/);
  const who = (spec: ExternalSpec): string =>
    /--allow-principal (.*?) --op/.exec(grantCommands(grantsOf(scenario), spec)[0] ?? '')?.[1] ?? '';
  expect(who(saslAs("o'neil; rm"))).toBe("'User:o'\\''neil; rm'");
  expect(who(saslAs({ env: 'KAFKA_USER' }))).toBe('"User:$KAFKA_USER"');
  expect(who(saslAs({ file: 'my user' }))).toBe(`"User:$(cat 'my user')"`);
  expect(who(target)).toBe('User:ANONYMOUS');
});

test('what would be refused later is said before, all of it in one sentence', async () => {
  const eye = {
    topicOperations: () => Promise.resolve(new Set(['Read', 'Describe'] as const)),
    mayUseGroup: () => Promise.resolve(true),
  };
  await expect(assertAccess(eye, 'ackproof-x-orders', withTopic(false))).rejects.toThrow(
    'does not let this run Delete, DescribeConfigs, Write on topic ackproof-x-orders.',
  );
  await expect(assertAccess(eye, 'orders', withTopic(true))).rejects.toThrow('DescribeConfigs, Write on topic orders.');
});

test('a cluster that does not tell is believed to let us, and a group is asked for only where one is used', async () => {
  const silent = { topicOperations: () => Promise.resolve(undefined), mayUseGroup: () => Promise.resolve(false) };
  await expect(assertAccess(silent, 'orders', scenario)).resolves.toBeUndefined();
  const read = { ...scenario, replay: { ...scenario.replay, client: 'kafkajs' } };
  await expect(assertAccess(silent, 'orders', read)).rejects.toThrow('Read on groups ackproof-');
});
