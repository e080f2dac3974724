import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManyProblems } from '../errors.ts';
import { loadScenario, loadScenarios, validateFiles } from './loader.ts';

const shipped = resolve(import.meta.dirname, '..', '..', 'scenarios');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-loader-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = `apiVersion: ackproof/v1
name: leader-kill
claim: Records acknowledged with acks=all stay readable after the leader is killed.
target: embedded
contract: {acks: all, minInSyncReplicas: 2, boundary: wal}
workload:
  topic: {name: orders, partitions: 3}
  rate: 2000/s
  duration: 6s
faults:
  - {fault: process-kill, victim: {leaderOf: orders/0}, at: 1s, duration: 2s}
`;

const problemsOf = (text: string): string[] => {
  const file = join(folder, 'scenario.yaml');
  writeFileSync(file, text);
  try {
    loadScenario(file);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ManyProblems)) throw thrown;
    return thrown.problems.map((problem) => problem.describe().replace(`${file}:`, ''));
  }
};

test('every shipped scenario and target is valid', () => {
  const files = [shipped, join(shipped, 'targets')].flatMap((place) =>
    readdirSync(place)
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => join(place, name)),
  );
  expect(files.length).toBeGreaterThanOrEqual(14);
  for (const { file, problems } of validateFiles(files)) {
    expect([file, problems.map((problem) => problem.describe())]).toEqual([file, []]);
  }
});

test('defaults and units are resolved', () => {
  const file = join(folder, 'scenario.yaml');
  writeFileSync(file, GOOD);
  const { scenario, target, digest } = loadScenario(file, { seed: 7 });
  expect(scenario.workload).toMatchObject({ ratePerSecond: 2000, durationMs: 6000, warmUpMs: 1000, producers: 2 });
  expect(scenario.contract).toMatchObject({ acks: 'all', deliveryTimeoutMs: 30_000, uniqueKeys: true });
  expect(scenario.seed).toBe(7);
  expect(target.kind).toBe('embedded');
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
});

test('all problems are told at once, each with its line, the allowed values and the nearest name', () => {
  const wrong = GOOD.replace('rate: 2000/s', 'rate: 2000')
    .replace('duration: 6s', 'duration: 6')
    .replace('process-kill', 'proces-kill')
    .replace('claim:', 'clam:')
    .replace('acks: all', 'acks: most');
  const problems = problemsOf(wrong);
  const text = problems.join('\n');
  expect(problems.length).toBeGreaterThanOrEqual(5);
  expect(text).toMatch(/SCENARIO_UNKNOWN_KEY 3:1 — unknown key "clam"\. Did you mean "claim"\?/);
  expect(text).toMatch(/SCENARIO_\w+ 5:18 .*acks is all, 1 or 0/);
  expect(text).toMatch(/8:9 .*rate: 2000 has no unit/);
  expect(text).toMatch(/9:13 .*unit/);
  expect(text).toMatch(/11:\d+ .*no fault named "proces-kill"\. Did you mean "process-kill"\?/);
});

test('an unknown key inside a fault is told where it stands', () => {
  const problems = problemsOf(GOOD.replace('duration: 2s}', 'duration: 2s, durration: 3s}'));
  expect(problems).toEqual([
    expect.stringMatching(/^SCENARIO_UNKNOWN_KEY 11:\d+ — .*"durration".*Did you mean "duration"/),
  ]);
});

test('a scenario without a fault must say that it is a baseline', () => {
  expect(problemsOf(GOOD.replace(/faults:[\s\S]*/, ''))[0]).toMatch(/SCENARIO_NO_FAULT/);
  expect(problemsOf(`${GOOD}baseline: true\n`)[0]).toMatch(/SCENARIO_BASELINE_WITH_FAULT/);
});

test('a victim must be a topic and a partition of the scenario', () => {
  expect(problemsOf(GOOD.replace('orders/0', 'order/0'))[0]).toMatch(
    /SCENARIO_UNKNOWN_TOPIC 11:.*Did you mean "orders"/,
  );
  expect(problemsOf(GOOD.replace('orders/0', 'orders/3'))[0]).toMatch(/SCENARIO_UNKNOWN_PARTITION 11:.*0 to 2/);
});

test('a fault that leaves no time to recover is refused', () => {
  expect(problemsOf(GOOD.replace('at: 1s', 'at: 5s'))[0]).toMatch(/SCENARIO_FAULT_TOO_LATE 11:/);
});

test('what the target cannot do is refused, not skipped', () => {
  writeFileSync(
    join(folder, 'kafka.yaml'),
    'apiVersion: ackproof/v1\nname: kafka\nkind: external\nbootstrapServers: ["127.0.0.1:9092"]\n',
  );
  const problems = problemsOf(
    `${GOOD.replace('target: embedded', 'target: kafka.yaml')}replay: {passes: [full, cold]}\n`,
  );
  expect(problems.join('\n')).toMatch(/SCENARIO_FAULT_UNSUPPORTED 11:/);
  expect(problems.join('\n')).toMatch(/SCENARIO_COLD_UNSUPPORTED 12:/);
});

test('a target that is not there is told at the place that names it', () => {
  expect(problemsOf(GOOD.replace('target: embedded', 'target: embeded'))[0]).toMatch(
    /TARGET_UNKNOWN 4:9 — There is no target "embeded".*Did you mean "embedded"/,
  );
});

test('of a target file that is not there, and of a kind that needs a file, it is told what to do', () => {
  expect(problemsOf(GOOD.replace('target: embedded', 'target: ./nowhere.yaml'))[0]).toMatch(
    /TARGET_UNKNOWN 4:9 — There is no target file ".\/nowhere.yaml"\. It is looked for beside the scenario/,
  );
  const external = problemsOf(GOOD.replace('target: embedded', 'target: external'))[0];
  expect(external).toMatch(/TARGET_UNKNOWN 4:9 — .*does not say by itself where it is.*Write a target file/);
  expect(external).not.toContain('Did you mean');
});

test('a fault without parameters says that it has none', () => {
  const problems = problemsOf(GOOD.replace(/(fault: process-kill,)/, '$1 params: {mode: refuse},'));
  expect(problems[0]).toMatch(/unknown key "mode". There is none to be had here\./);
});

test.each([
  ['an empty file', ''],
  ['a list', '- 1\n'],
  ['a text', 'hello\n'],
  ['broken YAML', 'a: [1, 2\nb: }\n'],
  ['a key twice', `${GOOD}name: again\n`],
  [
    'an alias bomb',
    `a: &a [x,x]\nb: &b [${'*a,'.repeat(50)}]\nc: &c [${'*b,'.repeat(50)}]\nd: [${'*c,'.repeat(50)}]\n`,
  ],
])('%s is refused with a place, never with a crash', (_, text) => {
  const problems = problemsOf(text);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems[0]).toMatch(/^[A-Z_]+ (\S+:)?\d+:\d+ — |^[A-Z_]+ /);
});

test('one look shows what is wrong with values and what is wrong between them', () => {
  const wrong = GOOD.replace('rate: 2000/s', 'rate: 2000')
    .replace('orders/0', 'order/0')
    .replace('minInSyncReplicas: 2', 'minInSyncReplicas: 4, colour: red')
    .replace('target: embedded', 'target: embeded');
  const found = problemsOf(`${wrong}replay: {passes: [cold], client: javva}\n`).map((each) => each.split(' ')[0]);
  expect(found.sort()).toEqual([
    'SCENARIO_FULL_PASS_FIRST',
    'SCENARIO_INVALID',
    'SCENARIO_MIN_ISR_ABOVE_REPLICAS',
    'SCENARIO_UNKNOWN_CLIENT',
    'SCENARIO_UNKNOWN_KEY',
    'SCENARIO_UNKNOWN_TOPIC',
    'TARGET_UNKNOWN',
  ]);
});

test.each([
  ['a fault that cannot be read', GOOD.replace('process-kill', 'proces-kill'), ['SCENARIO_UNKNOWN_NAME']],
  [
    'a load of unknown length',
    GOOD.replace('duration: 6s', 'duration: 6').replace('at: 1s', 'at: 5s'),
    ['SCENARIO_INVALID'],
  ],
  ['a misspelt key', `${GOOD.replace(/faults:[\s\S]*/, '')}baselin: true\n`, ['SCENARIO_UNKNOWN_KEY']],
  ['a topic without a name', GOOD.replace('name: orders, ', ''), ['SCENARIO_INVALID']],
  ['a list with a mistake', `${GOOD}replay: {passes: [colder, full]}\n`, ['SCENARIO_INVALID']],
  ['no workload', GOOD.replace(/workload:[\s\S]*(?=faults:)/, ''), ['SCENARIO_INVALID']],
])('%s is told, and nothing that would only follow from it', (_, text, expected) => {
  expect(problemsOf(text).map((each) => each.split(' ')[0])).toEqual(expected);
});

test('what can be checked beside a fault and a workload that cannot be read is checked', () => {
  const text = `${GOOD.replace('process-kill', 'proces-kill').replace('6s', '6')}replay: {passes: [cold]}\n`;
  expect(problemsOf(text).map((each) => each.split(' ')[0])).toEqual([
    'SCENARIO_INVALID',
    'SCENARIO_UNKNOWN_NAME',
    'SCENARIO_FULL_PASS_FIRST',
  ]);
});

test('the mistakes of a target file are told with those of the scenario', () => {
  writeFileSync(join(folder, 'small.yaml'), 'apiVersion: ackproof/v1\nkind: embedded\nbrokers: 0\n');
  const found = problemsOf(GOOD.replace('target: embedded', 'target: small.yaml').replace('orders/0', 'orders/7'));
  expect(found.join('\n')).toMatch(/UNKNOWN_PARTITION 11:[\s\S]*TARGET_INVALID .*small.yaml:3:10/);
});

const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

const loadProblems = (files: readonly string[], target?: string): ManyProblems => {
  try {
    loadScenarios(files, target === undefined ? {} : { target });
  } catch (thrown) {
    if (thrown instanceof ManyProblems) return thrown;
  }
  throw new Error('These files were to be refused.');
};

test('several files are told about together, one that cannot be read among them', () => {
  const files = [join(folder, 'gone.yaml'), write('a.yaml', GOOD.replace('6s', '6')), write('b.yaml', 'b: [')];
  const { kind, problems } = loadProblems(files);
  expect(new Set(problems.map(({ place }) => place?.file))).toEqual(new Set(files));
  expect(kind).toBe('input');
  const checked = validateFiles([...files, write('c.yaml', GOOD)]);
  expect(checked.map(({ problems: each }) => each.length > 0)).toEqual([true, true, true, false]);
  expect(checked[0]?.kind).toBe('unknown');
});

test('files that are only missing are trouble of the environment', () => {
  expect(loadProblems([join(folder, 'gone.yaml'), write('a.yaml', GOOD)]).kind).toBe('environment');
});

test('a target of the command line that is not there is not blamed on the scenarios', () => {
  const { problems } = loadProblems([write('a.yaml', GOOD), write('b.yaml', GOOD)], 'embeded');
  expect(problems.map((each) => each.describe())).toEqual([
    expect.stringMatching(/^TARGET_UNKNOWN --target — There is no target "embeded"\..*Did you mean "embedded"/),
  ]);
});

test('the mistake of a target that several scenarios share is told once', () => {
  const target = write('t.yaml', 'apiVersion: ackproof/v1\nkind: embedded\nbrokers: 0\n');
  expect(loadProblems([write('a.yaml', GOOD), write('b.yaml', GOOD)], target).problems).toHaveLength(1);
});

test('a file that is not there is an environment error that names it', () => {
  expect(() => loadScenario(join(folder, 'nothing.yaml'))).toThrow(/cannot be read \(ENOENT\)/);
});

test.each([
  ['0/s', 'Write a rate of at least 1/h'],
  ['0.1/h', 'Write a rate of at least 1/h'],
])('a load of %s is none, and is refused with its place', (rate, told) => {
  expect(problemsOf(GOOD.replace('2000/s', rate)).join()).toMatch(new RegExp(`8:9 — .*${told}`));
});

test('a pass that is named twice is refused: it is made once', () => {
  expect(problemsOf(`${GOOD}replay: {passes: [full, full]}\n`).join()).toContain('name it once');
});

test.each([
  ['brackets', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['braces that never close', `a: ${'{'.repeat(20_000)}`],
  ['dashes', `${'- '.repeat(5000)}x`],
  ['indented keys', Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
])('a file of deep %s is refused, not a crash', (_, text) => {
  expect(problemsOf(text).join()).toContain('YAML_TOO_DEEP');
});

// Red before: what the target cannot do was told only once what was written wrong was mended.
test('a fault that is written wrongly and cannot be done there is told both at once', () => {
  const told = problemsOf(GOOD.replace('fault: process-kill', 'fault: node-loss'));
  expect(told).toEqual([
    expect.stringMatching(/needs "allow: \[destroy-state\]"/),
    expect.stringMatching(
      /^SCENARIO_FAULT_UNSUPPORTED 11:\d+ — node-loss needs disks, .* Use a target of kind compose or process/,
    ),
  ]);
});

test.each([
  ['victim: {leaderof: orders/0}', /Did you mean \{leaderOf: topic\/partition\}\? Write this fault's victim as one of/],
  ['victim: {brokr: 1}', /Did you mean \{broker: id\}\?/],
  [
    'victim: {leaderOf: orders/0}, allow: [quorum-los]',
    /"quorum-los" is not allowed here\. Did you mean "quorum-loss"\?/,
  ],
])('%s is told with the name that was probably meant', (victim, told) => {
  expect(problemsOf(GOOD.replace('victim: {leaderOf: orders/0}', victim)).join()).toMatch(told);
});
