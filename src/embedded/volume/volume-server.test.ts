// Disturbances as they are asked for, and what a request gets meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listenOn } from '../json-over-http.ts';
import { StoreUnavailable } from '../log/store-unavailable.ts';
import { VolumeClient } from '../wal/volume-client.ts';
import { FolderDisk } from './disk.ts';
import { createVolumeServer } from './volume-server.ts';
import { VolumeService } from './volume-service.ts';

let folder: string;
let server: Server;
let url: string;
let client: VolumeClient;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-volume-server-'));
  server = createVolumeServer(await VolumeService.open(await FolderDisk.open(folder)), () => undefined);
  const endpoint = { host: '127.0.0.1', port: await listenOn(server, { host: '127.0.0.1', port: 0 }) };
  url = `http://127.0.0.1:${endpoint.port}/disturbances`;
  client = new VolumeClient({ endpoint, timeoutMs: 60_000, maxSockets: 4 });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const asked = async (method: string, name: string, body?: unknown): Promise<readonly [number, unknown]> => {
  const answer = await fetch(`${url}${name}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return [answer.status, await answer.json()];
};

it('takes disturbances, tells them, and ends them', async () => {
  expect(await asked('GET', '')).toEqual([200, []]);
  const set = await asked('PUT', '/d', { kind: 'read-only', ttlMs: 60_000 });
  expect(set).toMatchObject([200, [{ name: 'd', kind: 'read-only', acted: 0 }]]);
  expect(await asked('DELETE', '/d')).toEqual([200, []]);
  expect((await asked('DELETE', '/d'))[0]).toBe(404);
  expect(await asked('PUT', '/d', { kind: 'storm', ttlMs: 1 })).toMatchObject([
    400,
    { error: expect.stringContaining('none of') as string },
  ]);
});

it.each([
  { body: { kind: 'error', errno: 'EIO' }, status: 500 },
  { body: { kind: 'full' }, status: 507 },
  { body: { kind: 'read-only' }, status: 403 },
])(
  'answers $status where the disk says no, which a broker takes for a store that is away',
  async ({ body, status }) => {
    const mine = { volume: 'broker-1-x', holder: 'me' };
    await client.call({ op: 'attach', ...mine });
    await asked('PUT', '/d', { ...body, ttlMs: 60_000, volumes: ['broker-1-'] });
    const write = async () => await client.call({ op: 'write', ...mine, at: 0 }, Buffer.from('text'));
    await expect(write()).rejects.toThrow(StoreUnavailable);
    const answer = await fetch(url.replace('/disturbances', '/write'), {
      method: 'POST',
      headers: { 'x-volume-request': JSON.stringify({ op: 'write', ...mine, at: 0 }) },
      body: 'text',
    });
    expect(answer.status).toBe(status);
    await asked('DELETE', '/d');
    expect(await write()).toMatchObject({ status: 'done' });
  },
);
