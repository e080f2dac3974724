// Several scenarios in one `run`: each has its own run directory, and they end in one summary and one exit code.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProgramResult, runProgram } from '../support/program.ts';

/** As short as a drill can be; port 1 has no cluster. */
const scenario = (name: string, target: string): string => `apiVersion: ackproof/v1
name: ${name}
claim: Acknowledged records can be read back where nothing is broken.
target: ${target}
workload:
  topic: {name: orders, partitions: 1, replicationFactor: 1}
  rate: 500/s
  duration: 500ms
  warmUp: 100ms
baseline: true
`;
const NOWHERE = 'apiVersion: ackproof/v1\nkind: external\nname: nowhere\nbootstrapServers: ["127.0.0.1:1"]\n';

let folder: string;
let files: readonly string[];
const run = async (...words: string[]): Promise<ProgramResult> =>
  await runProgram(['run', ...files, '--out', join(folder, 'runs'), ...words], {
    XDG_STATE_HOME: join(folder, 'state'),
  });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-several-'));
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  write('nowhere.yaml', NOWHERE);
  files = [
    write('away.yaml', scenario('cluster-away', 'nowhere.yaml')),
    write('here.yaml', scenario('cluster-here', 'embedded')),
  ];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('two drills of which the first has no cluster', () => {
  it('are both run, told one by one and then together, and end with the code of the worst', async () => {
    const { exitCode, stdout, stderr } = await run('--report', 'junit', '--report', 'html');
    expect(stderr).toMatch(/cluster-away[\s\S]*127\.0\.0\.1:1[\s\S]*cluster-here/);
    expect(stdout).toMatch(
      /^PASS [\s\S]*\nreport: .*cluster-here.*report\.html\n\nERROR cluster-away: .*; 1 of 2 drills passed\n/,
    );
    expect(exitCode).toBe(69);
    const junit = readFileSync(join(folder, 'runs', 'summary.junit.xml'), 'utf8');
    expect(junit.match(/<testsuite /g)).toHaveLength(2);
    expect(existsSync(join(folder, 'runs', 'summary.html'))).toBe(false);
  });

  it('are one document as JSON', async () => {
    const { exitCode, stdout } = await run('--format', 'json');
    const { headline, runs } = JSON.parse(stdout) as { headline: string; runs: readonly object[] };
    expect(headline).toMatch(/^ERROR cluster-away: /);
    expect(runs).toMatchObject([
      { scenario: 'cluster-away', exitCode: 69 },
      { scenario: 'cluster-here', exitCode: 0 },
    ]);
    expect(exitCode).toBe(69);
  });
});

it('a drill by itself leaves the same summary files, and tells nothing twice', async () => {
  const out = join(folder, 'alone');
  const words = ['run', files[1] ?? '', '--out', out, '--report', 'junit', '--report', 'markdown'];
  const { exitCode, stdout } = await runProgram(words, { XDG_STATE_HOME: join(folder, 'state') });
  expect(readFileSync(join(out, 'summary.junit.xml'), 'utf8').match(/<testsuite /g)).toHaveLength(1);
  expect(readFileSync(join(out, 'summary.md'), 'utf8')).toContain('cluster-here');
  expect(stdout).toMatch(/\nreport: .*report\.html\nsummary: .*summary\.junit\.xml\nsummary: .*summary\.md\n$/);
  expect(stdout.match(/^PASS /gm)).toHaveLength(1);
  expect(exitCode).toBe(0);
});
