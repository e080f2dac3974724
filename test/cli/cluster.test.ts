// `cluster up` as a person uses it: known to `status` while it lives, ended by Ctrl-C or `cluster down`, and put away by `heal`
// when its owner was killed.
import { type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram, startProgram } from '../support/program.ts';

let folder: string;
let env: Readonly<Record<string, string>>;
let owner: ChildProcessWithoutNullStreams | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-cluster-'));
  env = { XDG_STATE_HOME: folder };
});
afterEach(() => {
  owner?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const up = async (): Promise<ChildProcessWithoutNullStreams> => {
  const child = startProgram(['cluster', 'up', '--brokers', '1'], env);
  owner = child;
  await new Promise<void>((done) => child.stdout.once('data', () => done()));
  return child;
};

const ended = async (child: ChildProcessWithoutNullStreams): Promise<number | null> =>
  await new Promise((done) => child.once('close', done));

const clusters = (): readonly string[] => readdirSync(join(folder, 'ackproof', 'clusters'));
const ours = async (): Promise<string> => (await runProgram(['status'], env)).stdout;

describe('a cluster by itself', () => {
  it('is known to status while it lives, and forgotten when it is ended by Ctrl-C', async () => {
    const child = await up();
    const [id = ''] = clusters();
    expect(await ours()).toMatch(new RegExp(`${id} \\(embedded\\): running\n {2}processes [0-9, ]+`));
    const closing = ended(child);
    child.kill('SIGINT');
    expect(await closing).toBe(0);
    expect([clusters(), (await ours()).includes(id)]).toEqual([[], false]);
  });

  it('is forgotten when it is ended from another terminal', async () => {
    await up();
    const [id = ''] = clusters();
    expect((await runProgram(['cluster', 'down'], env)).stdout).toBe(`Ended ${id}.\n`);
    expect([clusters(), readdirSync(join(folder, 'ackproof', 'runs'))]).toEqual([[], []]);
  });

  it('of which the owner was killed is found by status and put away by heal', async () => {
    const child = await up();
    const [id = ''] = clusters();
    const closing = ended(child);
    child.kill('SIGKILL');
    await closing;
    expect(await ours()).toContain(`${id} (embedded): left behind`);
    const { exitCode, stdout } = await runProgram(['heal', '--run', id], env);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`${id}: healed`)]);
    expect([clusters(), (await ours()).includes(id)]).toEqual([[], false]);
  });
});
