// The compose target on a real Docker engine: the contract of all targets, what is told of a project that cannot be used, a second
// run on it, and what a killed run leaves. What it takes is dockerd and the images of `npm run images`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useOwnImages } from '../support/own-images.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { describeTarget } from '../targets/target-contract.ts';
import { testDrills } from './drill-table.ts';

const root = resolve(import.meta.dirname, '..', '..');
const MINUTES = 60_000;

/** Everything of a label that the engine still has, by kind. */
const leftOf = (label: string): readonly string[] =>
  [
    ['ps', '-aq'],
    ['network', 'ls', '-q'],
    ['volume', 'ls', '-q'],
  ].flatMap((words) =>
    execFileSync('docker', [...words, '--filter', `label=${label}`], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean),
  );

describeSystem('docker', () => {
  let folder: string;

  beforeAll(() => {
    useOwnImages();
    folder = mkdtempSync(join(tmpdir(), 'ackproof-compose-test-'));
  }, 20 * MINUTES);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  describeTarget('compose', {
    spec: () => ({ project: 'ackproof-contract' }),
    broken: { spec: { project: 'ackproof-none', attach: true }, defects: [] },
    // A start takes a minute.
    rounds: 1,
    brokersToBreak: 1,
    orderly: { exitCode: 143, graceMs: 60_000 },
    hasProcesses: false,
  });

  testDrills(['compose'], () => leftOf('com.docker.compose.project=ackproof'));

  test(
    'a second run on one project is refused while the first lasts, whoever starts it',
    async () => {
      const words = ['run', join(root, 'scenarios', 'baseline.yaml'), '--target', 'compose'];
      const first = startProgram([...words, '--out', join(folder, 'first')]);
      first.stdout.resume();
      first.stderr.resume();
      const ended = new Promise((done) => first.once('close', done));
      const locks = (): readonly string[] => leftOf('ackproof.lock=ackproof');
      await expect.poll(locks, { timeout: MINUTES, interval: 100 }).toEqual(['ackproof-lock-ackproof']);
      const elsewhere = { XDG_STATE_HOME: join(folder, 'another-state') };
      const second = await runProgram([...words, '--out', join(folder, 'second')], elsewhere);
      expect(second.stderr).toMatch(/TARGET_LOCKED.*"ackproof" is in use by run \S*baseline\S* \(process \d+ on/su);
      expect(second.exitCode).toBe(69);
      first.kill('SIGINT');
      await ended;
      expect(locks()).toEqual([]);
    },
    12 * MINUTES,
  );

  test(
    'a run that is killed while its fault acts leaves nothing: its watchdog removes what carries its id',
    async () => {
      // Its control run would prove nothing here.
      const own = readFileSync(join(root, 'scenarios', 'kafka', 'leader-kill.yaml'), 'utf8');
      const scenario = join(folder, 'killed.yaml');
      writeFileSync(
        scenario,
        own.replace('../targets/process.yaml', 'compose').replace('control: true', 'control: false'),
      );
      const program = startProgram(['run', scenario, '--out', join(folder, 'killed')]);
      let told = '';
      program.stderr.on('data', (chunk: Buffer) => {
        told += chunk.toString('utf8');
      });
      await expect.poll(() => told, { timeout: 6 * MINUTES, interval: 100 }).toMatch(/process-kill-1 .*: applied/u);
      program.kill('SIGKILL');
      const [runId = ''] = readdirSync(join(folder, 'killed'));
      expect(leftOf(`ackproof.run=${runId}`).length).toBeGreaterThan(0);
      await expect.poll(() => leftOf(`ackproof.run=${runId}`), { timeout: 2 * MINUTES, interval: 500 }).toEqual([]);
      const status = async (): Promise<string> => (await runProgram(['status'])).stdout;
      await expect.poll(status, { timeout: MINUTES, interval: 1000 }).not.toContain(runId);
    },
    12 * MINUTES,
  );
});
