import { expect, test } from 'vitest';
import type { FaultSpec } from '../faults/fault-schema.ts';
import type { ExternalSpec } from '../targets/external-spec.ts';
import { assertAccess, grantCommands, grantsOf } from './access.ts';
import { loadScenario } from './loader.ts';

const { scenario } = loadScenario('scenarios/baseline.yaml');
const [template] = loadScenario('scenarios/leader-kill.yaml').scenario.faults;
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
  allowFaults: [],
  commands: {},
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

/** A scenario with one fault, as its file would have it. */
const withFault = (fault: string, params: object = {}) => ({
  ...withTopic(false),
  faults: [{ ...template, fault, params } as FaultSpec],
});

test('orders to the cluster need more, and each only what it uses', () => {
  const commands = (fault: string, params?: object) =>
    grantCommands(grantsOf(withFault(fault, params)), target).slice(2);
  expect(commands('leader-election')).toEqual([
    expect.stringMatching(
      / --operation Create --operation Delete --operation Write --topic __ackproof-canary- --resource-pattern-type prefixed$/,
    ),
    expect.stringMatching(/--allow-principal User:ANONYMOUS --operation Alter --operation Describe --cluster$/),
  ]);
  expect(commands('partition-reassignment')).toEqual([
    expect.stringMatching(/--operation Alter --operation Describe --cluster$/),
  ]);
  expect(commands('broker-degrade', { settings: { 'num.io.threads': '4' } })).toEqual([
    expect.stringMatching(/--operation AlterConfigs --operation Describe --cluster$/),
  ]);
  expect(commands('broker-degrade', { settings: { 'message.max.bytes': '4000' } })).toHaveLength(2);
  // What is only watched.
  expect(commands('process-kill')).toEqual([expect.stringMatching(/ANONYMOUS --operation Describe --cluster$/)]);
});

const everything: Parameters<typeof assertAccess>[0] = {
  topicOperations: () => Promise.resolve(undefined),
  mayUseGroup: () => Promise.resolve(true),
  clusterOperations: () => Promise.resolve(new Set(['Alter', 'AlterConfigs', 'Describe'] as const)),
  mayCreateTopic: () => Promise.resolve(true),
};

test('an order that the cluster would refuse is said before the load, and so is a canary that may not be made', async () => {
  const election = withFault('leader-election');
  await expect(assertAccess(everything, 'orders', election)).resolves.toBeUndefined();
  const mayLittle = { ...everything, clusterOperations: () => Promise.resolve(new Set(['Describe'] as const)) };
  await expect(assertAccess(mayLittle, 'orders', election)).rejects.toThrow('Alter on the cluster.');
  const untold = { ...everything, clusterOperations: () => Promise.resolve(undefined) };
  await expect(assertAccess(untold, 'orders', election)).resolves.toBeUndefined();
  const mayMakeNone = { ...everything, mayCreateTopic: () => Promise.resolve(false) };
  await expect(assertAccess(mayMakeNone, 'orders', election)).rejects.toThrow('Create topics __ackproof-canary-');
  await expect(assertAccess(mayMakeNone, 'orders', withTopic(false))).resolves.toBeUndefined();
});

test('what would be refused later is said before, all of it in one sentence', async () => {
  const eye = {
    ...everything,
    topicOperations: () => Promise.resolve(new Set(['Read', 'Describe'] as const)),
    mayUseGroup: () => Promise.resolve(true),
  };
  await expect(assertAccess(eye, 'ackproof-x-orders', withTopic(false))).rejects.toThrow(
    'does not let this run Delete, DescribeConfigs, Write on topic ackproof-x-orders.',
  );
  await expect(assertAccess(eye, 'orders', withTopic(true))).rejects.toThrow('DescribeConfigs, Write on topic orders.');
});

test('a cluster that does not tell is believed to let us, and a group is asked for only where one is used', async () => {
  const silent = { ...everything, mayUseGroup: () => Promise.resolve(false) };
  await expect(assertAccess(silent, 'orders', scenario)).resolves.toBeUndefined();
  const read = { ...scenario, replay: { ...scenario.replay, client: 'kafkajs' } };
  await expect(assertAccess(silent, 'orders', read)).rejects.toThrow('Read on groups ackproof-');
});
