import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readProcess } from './process-table.ts';
import type { CommandEnvironment } from './target.ts';
import { assertCommands, type CommandCall, runCommand } from './user-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-command-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;
const sh = (script: string, more: Partial<CommandCall> = {}): CommandCall => ({
  what: 'confirm of x',
  argv: ['/bin/sh', '-c', script],
  folder,
  env: {},
  timeoutMs: 20_000,
  ...more,
});

/** The process whose number a script wrote down, once it has ended. */
const hasEnded = async (file: string): Promise<void> => {
  const pid = Number(readFileSync(join(folder, file), 'utf8'));
  expect(pid).toBeGreaterThan(0);
  await vi.waitFor(() => expect(readProcess(pid)).toBeUndefined(), { timeout: 10_000 });
};

describe('a program', () => {
  test('is run in its folder, with its words as they stand and no shell', async () => {
    const result = await runCommand(sh('', { argv: ['printf', '%s|', '$HOME', ';', 'a  b'] }), never);
    expect(result).toEqual({ exitCode: 0, printed: '$HOME|;|a b|', complained: '' });
    await runCommand(sh('pwd > where'), never);
    expect(readFileSync(join(folder, 'where'), 'utf8').trim()).toBe(folder);
  });

  test('tells how it ended and what it complained of, on one line each', async () => {
    const result = await runCommand(sh('echo one; echo two; echo no good >&2; exit 7'), never);
    expect(result).toEqual({ exitCode: 7, printed: 'one two', complained: 'no good' });
  });

  test('gets what it was given and nothing else: none of the secrets of ackproof', async () => {
    vi.stubEnv('KAFKA_PASSWORD', 'planted-kafka-9911');
    const { printed } = await runCommand(sh('env | cut -d= -f1 | sort', { env: { CLUSTER: 'staging' } }), never);
    expect(printed.split(' ')).toContain('CLUSTER');
    expect(printed).not.toContain('KAFKA_PASSWORD');
  });

  test('may say much, of which a little is kept, and nothing of its secrets, wherever they stand', async () => {
    vi.stubEnv('OPS_TOKEN', 'planted-token-5f2a');
    const env: CommandEnvironment = { TOKEN: { env: 'OPS_TOKEN' } };
    const told = await runCommand(sh('echo "with $TOKEN"; echo "$TOKEN" >&2; exit 1', { env }), never);
    expect(told).toEqual({ exitCode: 1, printed: 'with (secret)', complained: '(secret)' });
    // So that a cut falls into it.
    for (const before of [290, 4090]) {
      const long = await runCommand(sh(`printf '%0${before}d' 0; echo "$TOKEN"; seq 100000`, { env }), never);
      expect(long.exitCode).toBe(0);
      expect(long.printed.length).toBeLessThan(400);
      expect(long.printed).not.toContain('plan');
    }
  });

  test('that takes too long is ended with what it started, and told with what it said', async () => {
    const call = sh('echo $$ > pid; sleep 600 & echo $! > child; echo waiting >&2; wait', { timeoutMs: 500 });
    await expect(runCommand(call, never)).rejects.toMatchObject({
      code: 'COMMAND_OVERDUE',
      message: 'The confirm of x took longer than 500 ms and was ended. It said: waiting',
    });
    await hasEnded('pid');
    await hasEnded('child');
  });

  test('that does not obey is ended all the same', async () => {
    const call = sh('trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done', { timeoutMs: 300 });
    await expect(runCommand(call, never)).rejects.toMatchObject({ code: 'COMMAND_OVERDUE' });
    await hasEnded('pid');
  });

  // Red before: the group got SIGKILL only while its leader lived.
  test('that obeys and leaves somebody behind who does not is ended with them', async () => {
    const stubborn = 'trap "" TERM; echo $$ > child; while :; do sleep 0.1; done';
    const call = sh(`sh -c '${stubborn}' & while :; do [ -e child ] && exec sleep 600; done`, { timeoutMs: 500 });
    await expect(runCommand(call, never)).rejects.toMatchObject({ code: 'COMMAND_OVERDUE' });
    const pid = Number(readFileSync(join(folder, 'child'), 'utf8'));
    expect(readProcess(pid)?.state ?? 'gone').toMatch(/gone|Z/u);
  });

  test('is ended when nobody waits for it any more', async () => {
    const enough = new AbortController();
    const running = runCommand(sh('echo $$ > pid; sleep 600'), enough.signal);
    const refused = expect(running).rejects.toThrow('enough');
    await vi.waitFor(() => expect(existsSync(join(folder, 'pid'))).toBe(true), { timeout: 10_000 });
    enough.abort(new Error('enough'));
    await refused;
    await hasEnded('pid');
  });

  test('may leave another one running without being waited for', async () => {
    const result = await runCommand(sh('sleep 600 & echo $! > daemon; echo started'), never);
    expect(result.printed).toBe('started');
    const pid = Number(readFileSync(join(folder, 'daemon'), 'utf8'));
    expect(readProcess(pid)).toBeDefined();
    process.kill(pid, 'SIGKILL');
  });

  test('that is not there, or may not be run, is told by its name', async () => {
    await expect(runCommand(sh('', { argv: ['./nowhere'] }), never)).rejects.toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      message: `The confirm of x cannot be started: ./nowhere in ${folder}.`,
    });
  });
});

describe('the commands of a target file', () => {
  const command = { inject: ['true'], confirm: ['true'], heal: ['true'], healed: ['true'], env: {}, timeoutMs: 1000 };

  test('are looked for before anything is done: the programs and the secrets', () => {
    expect(() => assertCommands({ folder, named: { power: command } })).not.toThrow();
    const absent = { ...command, heal: ['./heal.sh'] };
    expect(() => assertCommands({ folder, named: { power: absent } })).toThrow(
      `The heal of power cannot be started: ./heal.sh in ${folder}.`,
    );
    const secret = { ...command, env: { TOKEN: { env: 'ACKPROOF_TEST_TOKEN' } } };
    expect(() => assertCommands({ folder, named: { power: secret } })).toThrow(
      'TOKEN of the inject of power is not there: the environment variable ACKPROOF_TEST_TOKEN is not set.',
    );
  });
});
