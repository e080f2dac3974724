// The volume process as brokers have it: kill -9 is the cut of power.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { REQUEST_HEADER, type VolumeRequest } from '../../src/embedded/volume/protocol.ts';
import { VolumeClient } from '../../src/embedded/wal/volume-client.ts';
import { nodeProgram } from '../../src/targets/program-files.ts';

let folder: string;
let child: ChildProcess;
let port: number;
let client: VolumeClient;

const start = async (): Promise<void> => {
  const { executable, args } = nodeProgram('embedded/volume/volume-program', {
    exitOnStdinClose: true,
    directory: folder,
    host: '127.0.0.1',
    port: 0,
  });
  child = spawn(executable, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  ({ port } = JSON.parse(line) as { port: number });
  client = new VolumeClient({ endpoint: { host: '127.0.0.1', port }, timeoutMs: 60_000, maxSockets: 4 });
};

const kill = async (): Promise<void> => {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-volume-program-'));
  await start();
});

afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) await kill();
  rmSync(folder, { recursive: true, force: true });
});

const mine = { volume: 'v', holder: 'me' };
const textAt = async (at: number, length: number): Promise<string> =>
  Buffer.from((await client.call({ op: 'read', volume: 'v', at, length })).bytes ?? []).toString();

it('loses what was not synced, and nothing else, when it is killed', async () => {
  await client.call({ op: 'attach', ...mine });
  const { boot } = await client.call({ op: 'write', ...mine, at: 0 }, Buffer.from('synced'));
  await client.call({ op: 'sync', ...mine, boot });
  const later = await client.call({ op: 'write', ...mine, at: 6 }, Buffer.from(' and not'));
  expect(await textAt(0, 14)).toBe('synced and not');
  await kill();
  await start();
  expect(await textAt(0, 14)).toBe(`synced${'\0'.repeat(8)}`);
  expect(await client.call({ op: 'sync', ...mine, boot: later.boot })).toMatchObject({ status: 'power-cut' });
});

it('names files and keeps them', async () => {
  const { handle = '' } = await client.call({ op: 'create', path: 'a/b' });
  const { boot } = await client.call({ op: 'put', handle }, Buffer.from('text'));
  await client.call({ op: 'commit', handle, boot });
  await kill();
  await start();
  expect((await client.call({ op: 'names', prefix: 'a/' })).names).toEqual(['a/b']);
  expect(Buffer.from((await client.call({ op: 'get', path: 'a/b' })).bytes ?? []).toString()).toBe('text');
});

it('has written what came of a write that broke off', async () => {
  await client.call({ op: 'attach', ...mine });
  const request: VolumeRequest = { op: 'write', ...mine, at: 0 };
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`POST /write HTTP/1.1\r\nhost: v\r\n${REQUEST_HEADER}: ${JSON.stringify(request)}\r\n`);
  socket.write('content-length: 100\r\n\r\nthe first half');
  await expect.poll(async () => await textAt(0, 14)).toBe('the first half');
  socket.destroy();
  expect(await textAt(0, 14)).toBe('the first half');
});

it('gives back what it is sent by whoever asks nothing', async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/anything`, { method: 'PUT', body: 'a canary' });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('a canary');
});
