// The brokers' client against the real store, and against servers that misbehave.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RunningStore, startStore } from '../object-store/running-store.ts';
import { parseStoreConfig } from '../object-store/store-config.ts';
import { S3Client, StoreRefused, StoreUnavailable } from './s3-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'ackproof-client-'));
let store: RunningStore;
const clients: S3Client[] = [];

const clientOf = (port: number, bucket = 'records', timeoutMs = 15_000): S3Client => {
  const client = new S3Client({
    endpoint: { host: '127.0.0.1', port },
    bucket,
    clientName: 'broker-1',
    timeoutMs,
    maxSockets: 4,
    listPageKeys: 10,
  });
  clients.push(client);
  return client;
};

beforeAll(async () => {
  store = await startStore(parseStoreConfig({ directory, listeners: [{ name: 'data' }], buckets: ['records'] }));
});

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

afterAll(async () => {
  await store.stop();
  rmSync(directory, { recursive: true });
});

const caught = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (thrown) {
    return thrown;
  }
};

describe('against the store', () => {
  test('objects come back as they were put, whole or in part', async () => {
    const client = clientOf(store.listeners['data']!);
    const key = 'odd +?&#%/ключ/..';
    const stored = await client.put(key, Buffer.from('0123456789'));
    expect(stored).toEqual({ status: 'stored', etag: '781e5e245d69b566979b86e28d23f2c7' });
    expect(await client.get(key)).toEqual({
      etag: '781e5e245d69b566979b86e28d23f2c7',
      bytes: Buffer.from('0123456789'),
    });
    expect((await client.get(key, { range: { start: 2, end: 4 } }))?.bytes.toString()).toBe('234');
    expect(await client.head(key)).toEqual({ etag: '781e5e245d69b566979b86e28d23f2c7', sizeBytes: 10 });
    const others = ['<Key>&amp;', 'line\nbreak', ...Array.from({ length: 1200 }, (_, index) => `missing/${index}`)];
    for (const other of others.slice(0, 2)) await client.put(other, Buffer.from('x'));
    await client.deleteAll([...others, key]);
    await client.deleteAll([key]);
    for (const other of others.slice(0, 2)) expect(await client.get(other)).toBeUndefined();
    expect(await client.get(key)).toBeUndefined();
    expect(await client.head(key)).toBeUndefined();
  });

  test('a condition that does not hold is an answer, not an error', async () => {
    const client = clientOf(store.listeners['data']!);
    const first = await client.put('fence', Buffer.from('1'), { ifNoneMatch: true });
    expect(await client.put('fence', Buffer.from('2'), { ifNoneMatch: true })).toEqual({
      status: 'precondition-failed',
    });
    const etag = first.status === 'stored' ? first.etag : '';
    expect(await client.put('fence', Buffer.from('3'), { ifMatch: etag })).toMatchObject({ status: 'stored' });
    expect(await client.put('fence', Buffer.from('4'), { ifMatch: etag })).toEqual({ status: 'precondition-failed' });
    expect(await client.put('nothing', Buffer.from('5'), { ifMatch: etag })).toEqual({ status: 'precondition-failed' });
    expect((await client.get('fence'))?.bytes.toString()).toBe('3');
  });

  test('a listing goes through all pages in order and begins where it is told', async () => {
    const client = clientOf(store.listeners['data']!);
    const keys = Array.from({ length: 25 }, (_, index) => `list/${String(index).padStart(5, '0')}'&<`);
    await Promise.all(keys.map(async (key) => await client.put(key, Buffer.from('x'))));
    const pages: (readonly string[])[] = [];
    for await (const page of client.list('list/')) pages.push(page);
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(keys);
    const rest: string[] = [];
    for await (const page of client.list('list/', keys[11])) rest.push(...page);
    expect(rest).toEqual(keys.slice(12));
  });

  test('a bucket that is not there is refused, never taken for a missing object', async () => {
    const client = clientOf(store.listeners['data']!, 'absent');
    for (const call of [client.get('x'), client.head('x'), client.put('x', Buffer.from('x')), client.list('').next()]) {
      expect(await caught(call)).toBeInstanceOf(StoreRefused);
    }
  });
});

describe('against trouble', () => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await Promise.all(servers.splice(0).map(async (server) => await new Promise((resolve) => server.close(resolve))));
  });

  /** A server that does `act` with each connection as soon as a request has begun to arrive. */
  const misbehaving = async (act: (socket: Socket) => void): Promise<number> =>
    await new Promise((resolve) => {
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('data', () => act(socket));
      });
      servers.push(server);
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });

  const unavailable = async (call: Promise<unknown>): Promise<{ ambiguous: boolean }> => {
    const thrown = await caught(call);
    expect(thrown).toBeInstanceOf(StoreUnavailable);
    return { ambiguous: (thrown as StoreUnavailable).ambiguous };
  };

  test('a refused connection is not ambiguous', async () => {
    const client = clientOf(1);
    expect(await unavailable(client.put('x', Buffer.from('x')))).toEqual({ ambiguous: false });
    expect(await unavailable(client.get('x'))).toEqual({ ambiguous: false });
  });

  test('no answer within the deadline is ambiguous for what changes something', async () => {
    const client = clientOf(await misbehaving(() => undefined), 'records', 60);
    expect(await unavailable(client.put('x', Buffer.from('x')))).toEqual({ ambiguous: true });
    expect(await unavailable(client.deleteAll(['x']))).toEqual({ ambiguous: true });
    expect(await unavailable(client.get('x'))).toEqual({ ambiguous: false });
  });

  test('a reset after the request is ambiguous', async () => {
    const client = clientOf(await misbehaving((socket) => socket.resetAndDestroy()));
    expect(await unavailable(client.put('x', Buffer.from('x')))).toEqual({ ambiguous: true });
  });

  test('a 5xx is ambiguous', async () => {
    const port = await misbehaving((socket) => socket.write('HTTP/1.1 503 Slow\r\ncontent-length: 0\r\n\r\n'));
    expect(await unavailable(clientOf(port).put('x', Buffer.from('x')))).toEqual({ ambiguous: true });
  });

  test('an answer that breaks off is no answer', async () => {
    const port = await misbehaving((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'));
    expect(await unavailable(clientOf(port).get('x'))).toEqual({ ambiguous: false });
  });

  test('a call that is given up ends at once', async () => {
    const client = clientOf(await misbehaving(() => undefined));
    const controller = new AbortController();
    const call = unavailable(client.put('x', Buffer.from('x'), {}, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 30);
    expect(await call).toEqual({ ambiguous: true });
    expect(await unavailable(client.get('x', { signal: AbortSignal.abort() }))).toEqual({ ambiguous: false });
  });
});
