// What the program does when the world around it gives way: nobody reads its output, a disk is full, a directory cannot be made,
// somebody stops it while it starts. An exit code of 1 says that records were lost, so none of these may end with it.
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram, startProgram } from '../support/program.ts';

const root = resolve(import.meta.dirname, '..', '..');
const program = join(root, 'dist', 'bin', 'ackproof.js');
const scenario = join(root, 'scenarios', 'leader-kill.yaml');

let folder: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-trouble-'));
  env = { XDG_STATE_HOME: join(folder, 'state') };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shell = async (line: string): Promise<{ readonly code: number; readonly stderr: string }> =>
  await new Promise((done) => {
    const command = line.replace('ackproof', `"${process.execPath}" "${program}"`);
    execFile('bash', ['-c', command], { env: { ...process.env, ...env } }, (error, _, stderr) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, stderr });
    });
  });

/** A scenario file with so many unknown keys that its problems fill a pipe. */
const longScenario = (): string => {
  const file = join(folder, 'long.yaml');
  writeFileSync(file, Array.from({ length: 3000 }, (_, index) => `k${index}: 1`).join('\n'));
  return file;
};

describe('output that nobody takes', () => {
  it.each(['validate', 'run'])(
    'does not change the exit code of %s when its reader has seen enough',
    async (command) => {
      const { code } = await shell(`ackproof ${command} ${longScenario()} 2>&1 | head -1; exit \${PIPESTATUS[0]}`);
      expect(code).toBe(65);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'is told with exit 69 when the disk that was to keep it is full',
    async () => {
      const { code, stderr } = await shell('ackproof list anomalies >/dev/full');
      expect(code).toBe(69);
      expect(stderr).toMatch(/^OUTPUT_NOT_WRITTEN/);
    },
  );
});

describe('a run that cannot begin', () => {
  it.each([
    ['a seed that is no number', ['--seed', 'abc'], 64, 'A seed is a whole number'],
    ['a negative seed', ['--seed', '-5'], 64, 'A seed is a whole number'],
    ['a defect that is none', ['--defect', 'no-fence'], 64, 'Did you mean "no-fencing"'],
    ['a report format that is none', ['--report', 'jnuit'], 64, 'no report format "jnuit"'],
    ['an --out below a file', ['--out', '/dev/null/runs'], 69, 'RUN_DIRECTORY_NOT_CREATED'],
    ['an --out that the file system refuses', ['--out', '/proc/ackproof'], 69, 'RUN_DIRECTORY_NOT_CREATED'],
  ])('starts nothing for %s, and says so', async (_, words, code, told) => {
    const out = words.includes('--out') ? [] : ['--out', join(folder, 'runs')];
    const { exitCode, stderr } = await runProgram(['run', scenario, ...words, ...out], env);
    expect(stderr).toContain(told);
    expect(exitCode).toBe(code);
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });
});

describe('a run that is stopped while its cluster starts', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('by %s ends with %d and is no fault of ackproof', async (signal, code) => {
    const out = join(folder, 'runs');
    const child = startProgram(['run', scenario, '--out', out], env);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr === '') setTimeout(() => child.kill(signal), 100);
      stderr += chunk.toString('utf8');
    });
    const exitCode = await new Promise<number | null>((done) => child.once('close', done));
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining('RUN_STOPPED')]);
    const [run = ''] = readdirSync(out);
    const record = JSON.parse(readFileSync(join(out, run, 'run.json'), 'utf8')) as object;
    expect(record).toMatchObject({ ended: 'interrupted', exitCode: code });
  });
});

/** Runs a drill that finds a loss; `name` in its run directory is a folder from the start, so that nothing can be written there. */
const runWithout = async (
  name: string,
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> => {
  const out = join(folder, 'runs');
  const child = startProgram(['run', scenario, '--defect', 'ack-offset-low', '--out', out], env);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr === '') mkdirSync(join(out, readdirSync(out)[0] ?? '', name));
    stderr += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out: stdout, err: stderr };
};

describe('a loss that was found', () => {
  it('is told although its report cannot be written', async () => {
    const { code, out, err } = await runWithout('report.html');
    expect(out).toMatch(/^FAIL without any fault, in the honesty check: /);
    expect(err).toContain('REPORT_NOT_WRITTEN');
    expect(code).toBe(1);

    const runs = join(folder, 'runs');
    const again = await runProgram(
      ['report', join(runs, readdirSync(runs)[0] ?? ''), '--out', '/dev/null/report.txt'],
      env,
    );
    expect([again.exitCode, again.stderr]).toEqual([69, expect.stringContaining('REPORT_NOT_WRITTEN')]);
  });

  it('is told although run.json cannot be finished', async () => {
    const { code, err } = await runWithout('judgement.json');
    expect(err).toMatch(/judgement\.json[\s\S]*The verdict stands all the same: fail: without any fault/);
    expect(code).toBe(1);
  });
});

describe('a run that writes more than it may', () => {
  it('is stopped in whatever part it is, control included, and proves nothing', async () => {
    const out = join(folder, 'runs');
    const { exitCode, stdout, stderr } = await runProgram(['run', scenario, '--max-size', '1MiB', '--out', out], env);
    expect(stdout).toMatch(
      /^INCONCLUSIVE without any fault, .*the load was stopped: the run directory holds .* more than 1MiB/,
    );
    expect(stderr).toContain('This run proves nothing any more: the run directory holds');
    expect(exitCode).toBe(2);
  });
});

it('a program whose packages are missing ends with 69, not with the code of a loss', async () => {
  const bin = join(folder, 'dist', 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of readdirSync(dirname(program))) {
    if (name.endsWith('.js')) copyFileSync(join(dirname(program), name), join(bin, name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((done) => {
    execFile(process.execPath, [join(bin, 'ackproof.js'), '--help'], (error, _, text) => {
      done({ code: error?.code, stderr: text });
    });
  });
  expect([code, stderr]).toEqual([69, expect.stringMatching(/^NOT_INSTALLED — .*Install it again/s)]);
});
