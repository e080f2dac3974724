// A command line that cannot be understood: exit 64, a sentence, and where help is. Nothing is started.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';

const SCENARIO = 'scenarios/baseline.yaml';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-words-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  [[], /^Name a command\.\nTry: ackproof --help/],
  [['runn', SCENARIO], /^Did you mean run\?\nTry: ackproof --help/],
  [
    ['run'],
    /^run needs <scenario\.\.>, which is missing\.\nUsage: ackproof run <scenario\.\.>\nTry: ackproof run --help/,
  ],
  [['validate'], /^validate needs <file\.\.>, .*\nUsage: ackproof validate <file\.\.>\nTry: ackproof validate --help/],
  [['judge', '--format', 'json'], /^judge needs <path>, which is missing\.\nUsage: ackproof judge <path>\nTry: /],
  [['cluster'], /^cluster needs <action>, which is missing\./],
  [['run', SCENARIO, '--sed', '1'], /^Unknown argument: sed\nTry: ackproof run --help/],
  [['run', SCENARIO, '--seed'], /^--seed needs a value behind it\.\nTry: ackproof run --help/],
  [['run', SCENARIO, '--max-size'], /^--max-size needs a value behind it\./],
  [['run', SCENARIO, '--report'], /^--report needs a value behind it\./],
  [['run', SCENARIO, '--max-size', '5'], /^MAX_SIZE_UNUSABLE — .*no unit/],
  [['run', SCENARIO, '--fail-on', 'bound'], /^FAIL_ON_UNKNOWN — .*"bound" is none/],
  [['run', SCENARIO, '--fail-on='], /^FAIL_ON_UNKNOWN — .*"" is none/],
  [['run', SCENARIO, '--log-format', 'xml'], /Choices: "text", "json"/],
  [['cluster', 'up', '--brokers', '0'], /^BROKERS_UNUSABLE — .*from 1 to 9/],
  [['cluster', 'up', '--brokers', '1.5'], /^BROKERS_UNUSABLE/],
  [['cluster', 'up', '--brokers', 'many'], /^BROKERS_UNUSABLE/],
  [['run', SCENARIO, '--out', 'a', '--out', 'b'], /^Give --out once\.\nTry: ackproof run --help/],
  [['validate', SCENARIO, '--target', 'a', '--target', 'b'], /^Give --target once\./],
  [['run', SCENARIO, '--fail-on', 'fail', '--fail-on', 'heal'], /^Give --fail-on once\./],
  [['plan', SCENARIO, '--seed', 'x'], /^SEED_UNUSABLE/],
  [['list', 'bugs'], /Choices: "anomalies"/],
])('%j', async (words, told) => {
  const { exitCode, stdout, stderr } = await runProgram(words, { XDG_STATE_HOME: folder });
  expect(stderr).toMatch(told);
  expect([exitCode, stdout]).toEqual([64, '']);
  expect(readdirSync(folder)).toEqual([]);
});

it('is answered in English whatever the locale, as everything else is', async () => {
  const { exitCode, stderr } = await runProgram(['run'], { LC_ALL: 'de_DE.UTF-8' });
  expect(stderr).toBe(
    'run needs <scenario..>, which is missing.\nUsage: ackproof run <scenario..>\nTry: ackproof run --help\n',
  );
  expect(exitCode).toBe(64);
});

it('--help breaks its lines between words', async () => {
  const { exitCode, stdout } = await runProgram(['--help']);
  const words = stdout.replace(/\s+/g, ' ');
  expect(words).toContain('breaks a cluster on purpose and checks that it was kept.');
  expect(words).toContain('all problems at once, nothing is started');
  expect(exitCode).toBe(0);
});
