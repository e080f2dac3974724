import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { externalSpecSchema } from '../targets/external-spec.ts';
import { type TargetSpec, targetSpecSchema } from '../targets/target-spec.ts';
import { loadScenario } from './loader.ts';
import type { Scenario } from './scenario.ts';
import { scenarioProblems } from './scenario-checks.ts';

const { scenario, target } = loadScenario(resolve('scenarios', 'leader-kill.yaml'));

const codes = (changed: Partial<Scenario>): readonly string[] =>
  scenarioProblems({ ...scenario, ...changed }, target).map(({ code }) => code.replace('SCENARIO_', ''));

const contract = (changed: Partial<Scenario['contract']>) => ({ contract: { ...scenario.contract, ...changed } });
const topic = (changed: Partial<Scenario['workload']['topic']>) => ({
  workload: { ...scenario.workload, topic: { ...scenario.workload.topic, ...changed } },
});

test('a scenario that is right has no problem', () => {
  expect(codes({})).toEqual([]);
});

test('no fault proves nothing, and a baseline has none', () => {
  expect(codes({ faults: [] })).toEqual(['NO_FAULT']);
  expect(codes({ baseline: true })).toEqual(['BASELINE_WITH_FAULT']);
});

test('an idempotent producer without acks=all is refused', () => {
  expect(codes(contract({ idempotence: true, acks: 1 }))).toEqual(['IDEMPOTENCE_NEEDS_ALL']);
  expect(codes(contract({ idempotence: true }))).toEqual([]);
});

test('more replicas in sync than there are, and more replicas than brokers, are refused', () => {
  expect(codes(contract({ minInSyncReplicas: 4 }))).toEqual(['MIN_ISR_ABOVE_REPLICAS']);
  expect(codes(topic({ replicationFactor: 4 }))).toEqual(['TOO_FEW_BROKERS']);
});

test('a topic setting that says something else than the contract is refused', () => {
  expect(codes(topic({ config: { 'min.insync.replicas': '1' } }))).toEqual(['CONFIG_AGAINST_CONTRACT']);
  expect(codes(topic({ config: { 'unclean.leader.election.enable': 'true' } }))).toEqual(['CONFIG_AGAINST_CONTRACT']);
  expect(codes(topic({ config: { 'min.insync.replicas': '2', 'retention.ms': '5' } }))).toEqual([]);
});

test('a victim of a topic or partition that is not there is refused', () => {
  expect(codes(topic({ name: 'bills' }))).toEqual(['UNKNOWN_TOPIC']);
  const [first] = scenario.faults;
  if (first === undefined) throw new Error('leader-kill has a fault');
  const victim = { kind: 'leaderOf' as const, topic: 'orders', partition: 9 };
  expect(codes({ faults: [{ ...first, victim }] })).toEqual(['UNKNOWN_PARTITION']);
});

test('a victim that is no broker of the target, and more victims than brokers, are refused', () => {
  const [first] = scenario.faults;
  if (first === undefined) throw new Error('leader-kill has a fault');
  const hit = (victim: typeof first.victim) => codes({ faults: [{ ...first, victim }] });
  expect([hit({ kind: 'broker', id: 4 }), hit({ kind: 'broker', id: 0 })]).toEqual([
    ['UNKNOWN_BROKER'],
    ['UNKNOWN_BROKER'],
  ]);
  expect(hit({ kind: 'random', count: 4 })).toEqual(['TOO_FEW_BROKERS']);
  expect([hit({ kind: 'broker', id: 3 }), hit({ kind: 'random', count: 3 })]).toEqual([[], []]);
});

test('a rate at which no producer fills a batch while the load lasts is refused', () => {
  expect(codes({ workload: { ...scenario.workload, ratePerSecond: 49 } })).toEqual(['RATE_TOO_LOW']);
  expect(codes({ workload: { ...scenario.workload, ratePerSecond: 50 } })).toEqual([]);
});

test('a fault that leaves no load after it is refused', () => {
  expect(codes({ workload: { ...scenario.workload, durationMs: 3600 } })).toEqual(['FAULT_TOO_LATE']);
});

const externalWith = (more: object): TargetSpec =>
  externalSpecSchema.parse({
    apiVersion: 'ackproof/v1',
    kind: 'external',
    name: 'x',
    bootstrapServers: ['h:1'],
    ...more,
  });
const external = externalWith({});

test('a cluster that somebody else runs is changed only in ways that its file names', () => {
  const election = loadScenario(resolve('scenarios', 'kafka', 'leader-election.yaml')).scenario;
  const found = scenarioProblems(election, externalWith({ allowFaults: ['broker-degrade'] }));
  expect(found.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'SCENARIO_FAULT_NOT_ALLOWED: leader-election changes a cluster that somebody else runs, and the target "x" does not allow it. ' +
      'Write allowFaults: [broker-degrade, leader-election] in its file, once whoever runs it agrees.',
  ]);
  expect(scenarioProblems(election, externalWith({ allowFaults: ['leader-election'] }))).toEqual([]);
});

const PROGRAMS = { inject: ['./off'], confirm: ['./is-off'], heal: ['./on'], healed: ['./is-on'] };

test('what the file of a target brings along is offered: programs by the name of a fault, proxies on the path of clients', () => {
  const kill = externalWith({ commands: { 'process-kill': PROGRAMS }, allowFaults: ['process-kill'] });
  expect(scenarioProblems(scenario, kill)).toEqual([]);
  const [fault] = scenario.faults;
  const withFault = (written: object) => ({ ...scenario, faults: [{ ...fault, ...written } as FaultSpec] });
  const power = withFault({ fault: 'command', params: { name: 'rack-power' } });
  const allowed = { allowFaults: ['command'] };
  expect(scenarioProblems(power, externalWith({ ...allowed, commands: { 'rack-power': PROGRAMS } }))).toEqual([]);
  expect(scenarioProblems(power, externalWith({ ...allowed, commands: { 'rack-powr': PROGRAMS } }))).toEqual([
    {
      code: 'SCENARIO_UNKNOWN_COMMAND',
      message: 'The target file has no command "rack-power". Did you mean "rack-powr"? Known: rack-powr.',
      path: ['faults', 0, 'params', 'name'],
    },
  ]);
  expect(scenarioProblems(power, externalWith(allowed)).map(({ message }) => message)).toEqual([
    'command needs commands, which a target of kind "external" does not offer. Name its programs under `commands` in the file of an external target.',
  ]);
  const proxied = externalWith({ toxiproxy: 'http://toxi:8474', allowFaults: ['network-latency'] });
  const slow = (path: string) => withFault({ fault: 'network-latency', params: { path } });
  expect(scenarioProblems(slow('client'), proxied)).toEqual([]);
  expect(scenarioProblems(slow('internal'), proxied).map(({ message }) => message)).toEqual([
    'network-latency needs a proxy on the path internal, which a target of kind "external" does not offer. ' +
      'Name programs for it under `commands` in the target file, or use a target of kind compose or process.',
  ]);
});

test('a target that cannot do what a fault or a cold pass needs is refused', () => {
  const replay = { ...scenario.replay, passes: ['full', 'cold'] as const };
  const found = scenarioProblems({ ...scenario, replay }, external).map(({ code }) => code);
  expect(found).toEqual(['SCENARIO_COLD_UNSUPPORTED', 'SCENARIO_FAULT_UNSUPPORTED']);
});

test('a disk is taken away only from a target that has some, and with the only copy only where that is allowed', () => {
  const replacement = loadScenario(resolve('scenarios', 'kafka', 'broker-replacement.yaml'));
  const [lost] = replacement.scenario.faults;
  if (lost === undefined) throw new Error('broker-replacement has a fault');
  const embedded = { ...replacement.target, kind: 'embedded' } as TargetSpec;
  const [refusal] = scenarioProblems(replacement.scenario, embedded);
  expect(refusal?.message).toBe(
    'node-loss needs disks, which a target of kind "embedded" does not offer. Use a target of kind compose or process.',
  );
  const [foreign] = scenarioProblems(replacement.scenario, external);
  expect(foreign?.message).toMatch(/does not offer\. Use a target of kind compose or process\.$/);
  const sole = (allow: readonly string[]): readonly string[] => {
    const { workload, contract: agreed } = replacement.scenario;
    const alone = { ...workload, topic: { ...workload.topic, replicationFactor: 1 } };
    const changed = { workload: alone, contract: { ...agreed, minInSyncReplicas: 1 }, faults: [{ ...lost, allow }] };
    return scenarioProblems({ ...replacement.scenario, ...changed }, replacement.target).map(({ code }) => code);
  };
  expect(sole(['destroy-state'])).toEqual(['SCENARIO_LAST_COPY']);
  expect(sole(['destroy-state', 'lose-records'])).toEqual([]);
});

test('a majority of controllers is hit only where that is allowed', () => {
  const [first] = scenario.faults;
  if (first === undefined) throw new Error('leader-kill has a fault');
  const hit = (allow: readonly string[]) => codes({ faults: [{ ...first, victim: { kind: 'controllers' }, allow }] });
  expect(hit([])).toEqual(['QUORUM_LOSS']);
  expect(hit(['quorum-loss'])).toEqual([]);
});

test('one call for two partitions needs a client that makes some, two partitions, and acknowledgements', () => {
  const split = (changed: Partial<Scenario['workload']>, acks: 'all' | 0 = 'all') =>
    codes({ workload: { ...scenario.workload, splitSend: true, ...changed }, ...contract({ acks }) });
  expect(split({})).toEqual([]);
  expect(split({ client: 'wire' })).toEqual(['SPLIT_UNSUPPORTED']);
  expect(split({ topic: { ...scenario.workload.topic, partitions: 1 } })).toEqual(['SPLIT_NEEDS_TWO']);
  expect(split({}, 0)).toEqual(['SPLIT_NEEDS_ACKS']);
});

test('a partition by packet filters takes containers, and no proxies', () => {
  const [first] = scenario.faults;
  if (first === undefined) throw new Error('leader-kill has a fault');
  const partition = { ...first, fault: 'network-partition' as const, params: { from: 'everybody', direction: 'both' } };
  const on = (kind: 'compose' | 'process', backend: FaultSpec['backend']) =>
    scenarioProblems(
      { ...scenario, faults: [{ ...partition, durationMs: 1000, backend }] },
      targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind }),
    ).map(({ message }) => message);
  expect(on('process', 'netns')).toEqual([
    'network-partition needs containers, which a target of kind "process" does not offer. ' +
      'Use a target of kind compose, or leave `backend: netns` out.',
  ]);
  expect([on('compose', 'netns'), on('process', 'auto')]).toEqual([[], []]);
});
