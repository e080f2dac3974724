// What the proxy itself stands for: back-pressure, its limits, a store behind TLS, and a store that is not there.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type RunningS3Proxy, startS3Proxy } from '../../src/s3-proxy/s3-proxy.ts';
import type { Upstream } from '../../src/s3-proxy/upstream.ts';
import { BareStore, bareCaller } from '../support/bare-sockets.ts';

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of stack.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const start = async (upstream: Upstream, limits: Record<string, number> = {}, notes: string[] = []) => {
  const proxy = await startS3Proxy({ listeners: [{ name: 'data', upstream }], limits }, (text) => notes.push(text));
  stack.push(proxy);
  return proxy;
};
const startBare = async (limits: Record<string, number> = {}) => {
  const store = await BareStore.start();
  stack.push(store);
  return { store, proxy: await start({ protocol: 'http', host: '127.0.0.1', port: store.port }, limits) };
};
const portOf = (proxy: RunningS3Proxy): number => proxy.listeners['data']!.port;
const GET = 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n';

describe('a stream', () => {
  const SIZE = 64 * 1024 ** 2;
  const PIECE = Buffer.alloc(1024 ** 2, 'payload.');
  const hashOf = (pieces: number): string => {
    const hash = createHash('sha256');
    for (let index = 0; index < pieces; index++) hash.update(PIECE);
    return hash.digest('hex');
  };

  /** Writes all of it as fast as it is taken. */
  const pour = async (socket: NodeJS.WritableStream): Promise<void> => {
    for (let sent = 0; sent < SIZE; sent += PIECE.length) {
      if (!socket.write(PIECE)) await new Promise<void>((drained) => socket.once('drain', () => drained()));
    }
  };
  const untilStill = async (count: () => number): Promise<number> => {
    for (;;) {
      const before = count();
      await new Promise((wait) => setTimeout(wait, 300));
      if (count() === before) return before;
    }
  };

  test.each(['up', 'down'] as const)(
    '%s stops while its receiver does not take it, and arrives whole',
    async (direction) => {
      const { store, proxy } = await startBare();
      const caller = await bareCaller(portOf(proxy));
      const length = `Content-Length: ${SIZE}\r\n\r\n`;
      caller.send(direction === 'up' ? `PUT /b/k HTTP/1.1\r\nHost: h\r\n${length}` : GET);
      const upstream = await store.next();
      await upstream.until('\r\n\r\n');
      const [sender, receiver] =
        direction === 'up' ? [caller.socket, upstream.socket] : [upstream.socket, caller.socket];
      if (direction === 'down') {
        upstream.send(`HTTP/1.1 200 OK\r\n${length}`);
        await caller.until('\r\n\r\n');
      }
      receiver.removeAllListeners('data').pause();
      const hash = createHash('sha256');
      let received = 0;
      const poured = pour(sender);
      const taken = await untilStill(() => sender.bytesWritten - sender.writableLength);
      expect(taken).toBeLessThan(SIZE / 2); // what the kernel's buffers of two connections take, and little more
      const whole = new Promise<void>((done) => {
        receiver.on('data', (chunk: Buffer) => {
          hash.update(chunk);
          received += chunk.length;
          if (received === SIZE) done();
        });
      });
      receiver.resume();
      await Promise.all([poured, whole]);
      expect(hash.digest('hex')).toBe(hashOf(SIZE / PIECE.length));
    },
  );
});

describe('a limit', () => {
  test('of connections turns the next one away', async () => {
    const { proxy } = await startBare({ connections: 1 });
    const first = await bareCaller(portOf(proxy));
    const second = await bareCaller(portOf(proxy));
    await second.untilEnded();
    const counters = async () => (await proxy.control.counters()).listeners['data'];
    await expect.poll(counters).toMatchObject({ openConnections: 1, acceptedConnections: 1, refusedConnections: 1 });
    first.socket.destroy();
    await expect.poll(counters).toMatchObject({ openConnections: 0 });
  });

  test('of idle time ends a connection on which nothing moves, but none that a rule holds', async () => {
    const { proxy } = await startBare({ idleMs: 100 });
    await proxy.control.addRule({ id: 'one', ttlMs: 60_000, action: { kind: 'hang', maxMs: 400 } });
    const held = await bareCaller(portOf(proxy));
    held.send(GET);
    const idle = await bareCaller(portOf(proxy));
    expect(await idle.untilEnded()).toBe('close');
    expect(held.ended).toBeUndefined();
    expect(await held.untilEnded()).toBe('reset');
  });

  test('of a head refuses a longer one, of the store too', async () => {
    const { store, proxy } = await startBare({ headBytes: 100 });
    const caller = await bareCaller(portOf(proxy));
    caller.send(`GET /${'k'.repeat(200)} HTTP/1.1\r\n\r\n`);
    await caller.until('HTTP/1.1 431');
    const other = await bareCaller(portOf(proxy));
    other.send(GET);
    (await store.next()).send(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200)}\r\n\r\n`);
    expect(await other.untilEnded()).toBe('reset');
  });
});

describe('a store that cannot be reached', () => {
  test('resets callers, is counted, and is told in a sentence once', async () => {
    const notes: string[] = [];
    const proxy = await start({ protocol: 'http', host: '127.0.0.1', port: 1 }, {}, notes);
    for (let time = 1; time <= 3; time++) {
      const caller = await bareCaller(portOf(proxy));
      caller.send(GET);
      expect(await caller.untilEnded()).toBe('reset');
    }
    expect((await proxy.control.counters()).listeners['data']).toMatchObject({ upstreamFailures: 3 });
    expect(notes).toEqual([
      expect.stringMatching(
        /^S3_PROXY_UPSTREAM — The object store http:\/\/127\.0\.0\.1:1 cannot be reached\. .*ECONNREFUSED/u,
      ),
    ]);
  });
});

describe('a store behind TLS', () => {
  const certificates = resolve(import.meta.dirname, '..', 'fixtures', 'tls');
  const cert = readFileSync(join(certificates, 'store-cert.pem'), 'utf8');
  const key = readFileSync(join(certificates, 'store-key.pem'), 'utf8');

  const startTls = async (): Promise<number> => {
    const server = createServer({ cert, key }, (request, response) => {
      request.resume().on('end', () => response.end(`${request.method ?? ''} ${request.headers.host ?? ''}`));
    }).listen(0, '127.0.0.1');
    await new Promise<void>((listening) => server.once('listening', () => listening()));
    stack.push({
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        await new Promise<void>((closed) => server.close(() => closed()));
      },
    });
    return (server.address() as AddressInfo).port;
  };

  test('is spoken to under its own name, and told the host that the caller told', async () => {
    const port = await startTls();
    const proxy = await start({ protocol: 'https', host: '127.0.0.1', port, serverName: 'store.example', ca: cert });
    const caller = await bareCaller(portOf(proxy));
    caller.send('PUT /b/k HTTP/1.1\r\nHost: other.example\r\nContent-Length: 4\r\n\r\nbody');
    await caller.until('PUT other.example');
    caller.send(GET);
    await caller.until('GET h');
  });

  test.each([
    ['whose authority nobody knows', { serverName: 'store.example' }],
    ['of another name', { serverName: 'other.example', ca: cert }],
  ])('%s is not spoken to', async (_, name) => {
    const notes: string[] = [];
    const port = await startTls();
    const proxy = await start({ protocol: 'https', host: '127.0.0.1', port, ...name }, {}, notes);
    const caller = await bareCaller(portOf(proxy));
    caller.send(GET);
    expect(await caller.untilEnded()).toBe('reset');
    expect(notes).toEqual([expect.stringContaining('its certificate')]);
  });
});

test('a port that somebody has is told', async () => {
  const { proxy } = await startBare();
  const upstream = { protocol: 'http' as const, host: '127.0.0.1', port: 1 };
  const twice = startS3Proxy({ listeners: [{ name: 'data', port: portOf(proxy), upstream }] });
  await expect(twice).rejects.toMatchObject({ code: 'S3_PROXY_PORT', kind: 'environment' });
});

test.each([
  [{ listeners: [] }, 'options.listeners'],
  [{ listeners: [{ name: 'A' }] }, 'options.listeners.0.name'],
  [{ listener: 1 }, '"listener"'],
])('options that are none are refused: %j', async (options, said) => {
  await expect(startS3Proxy(options as never)).rejects.toThrow(said);
});
