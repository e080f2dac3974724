import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { externalSpecSchema } from '../targets/external-spec.ts';
import { loadScenario } from './loader.ts';
import { planOf, renderPlan } from './plan.ts';

const shipped = (name: string) => planOf(loadScenario(resolve('scenarios', `${name}.yaml`)));

test('a plan names each part, its topic and the length of its load', () => {
  const plan = shipped('leader-kill');
  expect(plan.parts.map(({ part, faults }) => `${part} ${faults}`)).toEqual(['preflight 0', 'control 0', 'main 1']);
  expect(plan.topics).toEqual(plan.parts.map(({ part }) => `ackproof-<run>-${part}-orders`));
  expect(plan.loadMs).toBe(plan.parts.reduce((sum, { loadMs }) => sum + loadMs, 0));
});

test('a baseline is its own control, so there is none', () => {
  const plan = shipped('baseline');
  expect(plan.parts.map(({ part }) => part)).toEqual(['preflight', 'main']);
  expect(plan.blastRadius).toBe('nothing is broken: a baseline');
});

test('a fault is planned with its victim, its moment, its proof and its healing', () => {
  expect(shipped('leader-kill').faults[0]).toMatchObject({
    fault: 'process-kill',
    require: 'all',
    recovery: 'healable',
  });
  const text = renderPlan(shipped('cold-replay-during-outage'));
  expect(text).toMatch(/object-store-outage {2}victim .* into the cold pass/);
  expect(text).toMatch(/Nothing was changed\.$/);
});

test('on a cluster that somebody else runs it is told what is changed of which partition, for how long, and what takes it back', () => {
  const election = loadScenario(resolve('scenarios', 'kafka', 'leader-election.yaml'));
  const target = externalSpecSchema.parse({
    apiVersion: 'ackproof/v1',
    kind: 'external',
    bootstrapServers: ['kafka-1:9092'],
    allowFaults: ['leader-election'],
  });
  const plan = planOf({ ...election, target });
  expect(plan.blastRadius).toMatch(
    /^leader-election on \{leaderOf: orders\/0\}, partition 0 of topic ackproof-<run>-main-orders for .*; within a cluster that somebody else runs \(kafka-1:9092\)$/,
  );
  const text = renderPlan(plan);
  expect(text).toMatch(/\n {4}changes: another in-sync replica leads this partition/);
  expect(text).toMatch(/\n {4}undo: the replicas get back their former order/);
  expect(text).toMatch(/--operation Alter --operation Describe --cluster\n/);
});

// Red before: of several brokers it spoke of one, and of what it leads or follows there not at all.
test('the blast radius of whoever is chosen by a partition is the whole broker', () => {
  const { blastRadius } = shipped('kafka/losses/acks-one');
  expect(blastRadius).toMatch(
    /^process-pause on \{followersOf: orders\/0\}, all of those brokers and every partition led or followed there, partition 0 of topic ackproof-<run>-main-orders among them for /,
  );
  expect(blastRadius).toMatch(/; process-kill on \{leaderOf: orders\/0\}, all of that broker and every partition led/);
});

// Red before: it was in a page of one target only.
test('a partition is planned with whom else the proxies of it cut off', () => {
  expect(renderPlan(shipped('kafka/partitioned-leader'))).toMatch(
    /clients still reach them\. A proxy that a broker shares with the controller of its machine cuts off both\./,
  );
});

test('programs of a target file are told word by word, and need no rights of the cluster’s', () => {
  const election = loadScenario(resolve('scenarios', 'kafka', 'leader-election.yaml'));
  const words = (step: string) => ['./leader', step, '{broker}', 'a b'];
  const target = externalSpecSchema.parse({
    apiVersion: 'ackproof/v1',
    kind: 'external',
    bootstrapServers: ['kafka-1:9092'],
    allowFaults: ['leader-election'],
    commands: {
      'leader-election': {
        inject: words('move'),
        confirm: words('moved'),
        heal: words('back'),
        healed: words('is-back'),
      },
    },
  });
  const text = renderPlan(planOf({ ...election, target }));
  expect(text).toMatch(
    /\n {4}backend: programs of the target file\n {4}inject {2}\.\/leader move '\{broker\}' 'a b'\n {4}confirm \.\/leader moved .*\n {4}heal {4}\.\/leader back .*\n {4}healed {2}\.\/leader is-back/,
  );
  expect(text).not.toMatch(/changes:|Alter|__ackproof-canary/);
});

test('a fault is planned with what it does in numbers, those left out too, and with what performs it', () => {
  const text = renderPlan(shipped(join('kafka', 'slow-follower-link')));
  expect(text).toMatch(/\n {4}params: .*rate: \d+KiB.*\n {4}backend: toxiproxy\n/u);
  expect(renderPlan(shipped('leader-kill'))).toMatch(/\n {4}backend: process\n/);
  const partition = loadScenario(resolve('scenarios', 'kafka', 'partitioned-leader.yaml'));
  const by = (backend: FaultSpec['backend']) => {
    const faults = partition.scenario.faults.map((fault) => ({ ...fault, backend }));
    return planOf({ ...partition, scenario: { ...partition.scenario, faults } }).faults[0];
  };
  expect(by('auto')).toMatchObject({
    params: ['direction: both', 'from: everybody'],
    backend: 'auto: the first of toxiproxy, netns that can do it there',
  });
  expect(by('netns')).toMatchObject({ backend: 'netns' });
});
