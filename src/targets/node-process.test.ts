import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EnvironmentError } from '../errors.ts';
import { NodeProcess } from './node-process.ts';
import { processControl } from './node-processes.ts';
import { findProcess } from './process-table.ts';

const READY = `process.stdout.write(JSON.stringify({ ready: true, argument: process.argv[2] }) + '\\n');`;
const STAY = `setInterval(() => {}, 1000); process.stdin.resume(); process.stdin.on('end', () => process.exit(0));`;
const never = AbortSignal.timeout(60_000);

let directory: string;
const made: NodeProcess[] = [];

const nodeOf = (script: string, node = 'broker/1', readyWithinMs = 5_000): NodeProcess => {
  const program = join(directory, `${node.replace('/', '-')}.mjs`);
  writeFileSync(program, script);
  const created = new NodeProcess({
    node,
    executable: process.execPath,
    args: [program, '{"port":1}'],
    environment: { ACKPROOF_RUN: 'r1' },
    logFile: join(directory, 'logs', `${node.replace('/', '-')}.log`),
    readyWithinMs,
  });
  made.push(created);
  return created;
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-node-'));
});

afterEach(async () => {
  await Promise.all(made.splice(0).map(async (each) => await each.dispose()));
  rmSync(directory, { recursive: true, force: true });
});

describe('a node process', () => {
  it('is ready when it says so, and its ready line is handed on', async () => {
    const node = nodeOf(READY + STAY);
    expect(await node.start()).toMatchObject({ ready: true, argument: '{"port":1}' });
    expect(node.state).toBe('running');
    expect(node.identity?.startedAt).toBeGreaterThan(0);
  });

  it('carries the run id in its environment and has a process group of its own', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    const pid = String(node.identity?.pid);
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain('ACKPROOF_RUN=r1');
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
    expect(fields?.[2]).toBe(pid);
  });

  it('ends by itself when the pipe to its standard input closes', async () => {
    const node = nodeOf(
      `${READY} process.stdin.resume(); process.stdin.on('end', () => process.exit(0)); setTimeout(() => {}, 60000);`,
    );
    await node.start();
    node.closeInput();
    await expect.poll(() => node.state).toBe('gone');
  });

  it('that ends before it is ready is an environment error with its last log lines', async () => {
    const node = nodeOf(`console.error('first'); console.error('no room left'); process.exitCode = 3;`);
    const failed = await node.start().catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(EnvironmentError);
    expect(String(failed)).toMatch(/broker\/1 ended with exit code 3 .*first \| no room left/);
    expect(node.identity).toBeUndefined();
  });

  it('whose port is taken says so by its error code', async () => {
    const node = nodeOf(`console.error('listen EADDRINUSE 127.0.0.1:1'); process.exitCode = 69;`);
    await expect(node.start()).rejects.toMatchObject({ code: 'TARGET_PORT_IN_USE' });
  });

  it('that never becomes ready is ended at the deadline', async () => {
    const node = nodeOf(STAY, 'broker/1', 150);
    await expect(node.start()).rejects.toMatchObject({ code: 'DEADLINE_PASSED' });
    expect(node.identity).toBeUndefined();
  });

  it('whose start is aborted leaves no process', async () => {
    const node = nodeOf(STAY);
    const abort = new AbortController();
    const starting = node.start(abort.signal).catch((thrown: unknown) => thrown);
    await expect.poll(() => node.identity).toBeDefined();
    const identity = node.identity!;
    abort.abort(new Error('enough'));
    expect(String(await starting)).toContain('enough');
    expect(findProcess(identity)).toBeUndefined();
  });

  it('is not started twice', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    await expect(node.start()).rejects.toMatchObject({ code: 'TARGET_NODE_RUNS' });
  });
});

describe('a disposed node process', () => {
  it('is gone and cannot be started again, so that a late undo starts nothing', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    const identity = node.identity!;
    await node.dispose();
    expect(findProcess(identity)).toBeUndefined();
    await expect(node.start()).rejects.toMatchObject({ code: 'TARGET_DISPOSED' });
  });

  it('that was just being started is gone too', async () => {
    const node = nodeOf(STAY);
    const starting = node.start().catch((thrown: unknown) => thrown);
    await expect.poll(() => node.identity).toBeDefined();
    await node.dispose();
    expect(String(await starting)).toMatch(/ended with exit code 137/);
    expect(node.identity).toBeUndefined();
  });
});

describe('process control', () => {
  it('kill names the process that was there and starts it again as another one', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    const control = processControl([node]);
    const before = await control.identity('broker/1');
    expect(await control.kill('broker/1', never)).toEqual(before);
    expect(await control.state('broker/1')).toBe('stopped');
    expect(await control.identity('broker/1')).toBeUndefined();
    const after = await control.start('broker/1', never);
    expect(after).not.toEqual(before);
    expect(await control.state('broker/1')).toBe('running');
  });

  it('pause and resume return when the operating system shows it', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    const control = processControl([node]);
    await control.pause('broker/1', never);
    expect(await control.state('broker/1')).toBe('paused');
    await control.resume('broker/1', never);
    expect(await control.state('broker/1')).toBe('running');
  });

  it('a paused process can be killed', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    const control = processControl([node]);
    await control.pause('broker/1', never);
    await control.kill('broker/1', never);
    expect(await control.state('broker/1')).toBe('stopped');
  });

  it('terminate gives the exit code of an orderly end', async () => {
    const node = nodeOf(`process.on('SIGTERM', () => process.exit(0)); ${READY}${STAY}`);
    await node.start();
    expect(await processControl([node]).terminate('broker/1', 3_000, never)).toEqual({ exitCode: 0 });
  });

  it('terminate gives 143 when the signal itself ended it', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    expect(await processControl([node]).terminate('broker/1', 3_000, never)).toEqual({ exitCode: 143 });
  });

  it('terminate gives no exit code when the process is still there after the grace', async () => {
    const node = nodeOf(`process.on('SIGTERM', () => {}); ${READY}${STAY}`);
    await node.start();
    const control = processControl([node]);
    expect(await control.terminate('broker/1', 100, never)).toEqual({ exitCode: undefined });
    expect(await control.state('broker/1')).toBe('running');
  });

  it('a process that ends by itself is gone, not stopped', async () => {
    const node = nodeOf(`${READY} setTimeout(() => process.exit(1), 20);`);
    await node.start();
    await expect.poll(() => processControl([node]).state('broker/1')).toBe('gone');
    expect(node.diedAlone).toBe(true);
  });

  it('a process that took longer than its grace to end did not end by itself', async () => {
    const node = nodeOf(`process.on('SIGTERM', () => process.on('SIGUSR2', () => process.exit(0))); ${READY}${STAY}`);
    await node.start();
    const control = processControl([node]);
    expect(await control.terminate('broker/1', 300, never)).toEqual({ exitCode: undefined });
    process.kill(node.identity!.pid, 'SIGUSR2');
    await expect.poll(async () => await control.state('broker/1')).toBe('stopped');
    expect(node.diedAlone).toBe(false);
  });

  it('a process that was killed or stopped did not end by itself', async () => {
    const node = nodeOf(READY + STAY);
    await node.start();
    const control = processControl([node]);
    await control.kill('broker/1', never);
    await control.start('broker/1', never);
    await control.terminate('broker/1', 3_000, never);
    expect(node.diedAlone).toBe(false);
  });

  it('a signal to a node without a process is an error that says so', async () => {
    const node = nodeOf(READY + STAY);
    const control = processControl([node]);
    await expect(control.pause('broker/1', never)).rejects.toMatchObject({ code: 'TARGET_NODE_HAS_ENDED' });
    await expect(control.state('broker/9')).rejects.toThrow(/no node named "broker\/9"/);
  });

  it('a start counts only when what must follow it has happened', async () => {
    const node = nodeOf(READY + STAY);
    const followed: string[] = [];
    await processControl([node], async (which) => {
      await Promise.resolve();
      followed.push(which);
    }).start('broker/1', never);
    expect(followed).toEqual(['broker/1']);
  });
});
