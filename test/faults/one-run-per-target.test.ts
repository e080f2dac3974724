// Two drills on a cluster that somebody else runs: the second is refused while the first lasts, whatever it calls the target.
// Programs come from `dist`: build first.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProgramResult, runProgram, startProgram } from '../support/program.ts';
import { type Cluster, startCluster } from '../targets/cluster-fixture.ts';

const scenario = resolve(import.meta.dirname, '..', '..', 'scenarios', 'baseline.yaml');

let folder: string;
let cluster: Cluster;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-lock-'));
  cluster = await startCluster();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const words = (name: string): readonly string[] => {
  const target = join(folder, `${name}.yaml`);
  const servers = cluster.target.bootstrap.map(({ host, port }) => `"${host}:${port}"`).join(', ');
  writeFileSync(target, `apiVersion: ackproof/v1\nname: ${name}\nkind: external\nbootstrapServers: [${servers}]\n`);
  return ['run', scenario, '--target', target, '--out', join(folder, 'runs')];
};

const locks = (): readonly string[] => {
  try {
    return readdirSync(join(folder, 'ackproof', 'locks'));
  } catch {
    return [];
  }
};

it('a second run on one external cluster is refused with exit 69, and told who holds it', async () => {
  const env = { XDG_STATE_HOME: folder };
  const first = startProgram(words('ours'), env);
  first.stdout.resume();
  first.stderr.resume();
  const ended = new Promise((done) => first.once('close', done));
  await expect.poll(locks).not.toEqual([]);
  const second: ProgramResult = await runProgram(words('theirs'), env);
  expect(second.stderr).toMatch(/TARGET_LOCKED.*in use by run \S*baseline\S* \(process \d+\)/s);
  expect(second.exitCode).toBe(69);
  first.kill('SIGINT');
  await ended;
  expect(locks()).toEqual([]);
});
