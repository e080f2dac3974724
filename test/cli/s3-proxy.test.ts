// `ackproof s3-proxy` as a person and a program use it, and the proxy as a program of its own: flat memory, and an end in good order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectS3Proxy } from '../../src/s3-proxy/proxy-client.ts';
import type { Address } from '../../src/vocabulary.ts';
import { runProgram, startProgram } from '../support/program.ts';

const MIB = 1024 ** 2;
let store: Server;
let upstream: string;
const children: { kill(signal: 'SIGKILL'): unknown }[] = [];

beforeEach(async () => {
  store = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.end(incoming.url));
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  upstream = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  store.closeAllConnections();
  store.close();
});

interface Ready {
  readonly pid: number;
  readonly listeners: Readonly<Record<string, Address>>;
  readonly admin: Address;
}

describe('the command', () => {
  test('serves until Ctrl-C, with rules that come by its admin API', async () => {
    const words = [
      's3-proxy',
      '--upstream',
      upstream,
      '--listen',
      'a=0',
      '--listen',
      'b=127.0.0.1:0',
      '--format',
      'json',
    ];
    const child = startProgram(words);
    children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { listeners, admin } = JSON.parse(line.toString()) as Ready;
    expect(Object.keys(listeners)).toEqual(['a', 'b']);
    const status = async (name: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${listeners[name]!.port}/bucket/key`)).status;
    const control = connectS3Proxy(admin);
    const action = { kind: 'status', status: 503 } as const;
    await control.addRule({ id: 'one', ttlMs: 60_000, match: { listener: 'a' }, action });
    expect([await status('a'), await status('b')]).toEqual([503, 200]);
    expect((await control.counters()).rules).toMatchObject({ one: { acted: 1 } });
    const ended = once(child, 'close');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  test('says where it is, and what is amiss', async () => {
    const child = startProgram([
      's3-proxy',
      '--upstream',
      'http://127.0.0.1:1',
      '--listen',
      'data=0',
      '--admin',
      '0.0.0.0:0',
    ]);
    children.push(child);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    await expect.poll(() => err).toContain('Ctrl-C ends it');
    expect(out).toMatch(
      /^data: {3}http:\/\/127\.0\.0\.1:\d+ {2}→ {2}http:\/\/127\.0\.0\.1:1\nadmin: {2}http:\/\/0\.0\.0\.0:\d+ /u,
    );
    expect(err).toMatch(/Whoever reaches http:\/\/0\.0\.0\.0:\d+ can break what passes through: it has no login\./u);
    expect(err).toContain('S3_PROXY_UPSTREAM — The object store http://127.0.0.1:1 cannot be reached.');
  });

  test.each([
    [['--upstream', 'ftp://x', '--listen', 'a=0'], 64, 'is not where a store is'],
    [['--upstream', 'http://x/bucket', '--listen', 'a=0'], 64, 'without a path'],
    [['--upstream', 'http://x', '--listen', 'a'], 64, 'names no listener'],
    [['--upstream', 'http://x', '--listen', 'a=1:2:3'], 64, 'which is no address'],
    [['--upstream', 'http://x', '--listen', 'A=0'], 65, 'options.listeners.0.name'],
    [['--upstream', 'http://x', '--listen', 'a=0', '--listen', 'a=0'], 65, 'Two listeners have one name'],
    [['--upstream', 'https://x', '--listen', 'a=0', '--ca', 'no-such.pem'], 64, 'cannot be read'],
    [['--listen', 'a=0'], 64, 'ackproof s3-proxy --help'],
  ])('%j ends with %i', async (words, exitCode, said) => {
    const ended = await runProgram(['s3-proxy', ...words]);
    expect([ended.exitCode, ended.stderr]).toEqual([exitCode, expect.stringContaining(said)]);
  });

  test('a port that somebody has is told with 69', async () => {
    const { port } = store.address() as AddressInfo;
    const ended = await runProgram(['s3-proxy', '--upstream', upstream, '--listen', `a=${port}`]);
    expect([ended.exitCode, ended.stderr]).toEqual([
      69,
      expect.stringContaining(`S3_PROXY_PORT — The S3 proxy cannot listen on 127.0.0.1:${port}.`),
    ]);
  });
});

describe('the program', () => {
  const program = resolve(import.meta.dirname, '..', '..', 'dist', 'src', 's3-proxy', 's3-proxy-program.js');

  const start = async (more: object = {}) => {
    const { port } = store.address() as AddressInfo;
    const listeners = [{ name: 'data', upstream: { protocol: 'http', host: '127.0.0.1', port } }];
    const child = spawn(process.execPath, [program, JSON.stringify({ listeners, admin: {}, ...more })]);
    children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, ready: JSON.parse(line.toString()) as Ready };
  };

  test('outlives whoever closes its input, and ends in good order when it is told to', async () => {
    const { child, ready } = await start();
    child.stdin.destroy();
    await connectS3Proxy(ready.admin).rules();
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('ends with its input where it is told so', async () => {
    const { child } = await start({ exitOnStdinClose: true });
    const ended = once(child, 'close');
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });

  test('without settings says so and ends with 65', async () => {
    const child = spawn(process.execPath, [program, '{"listeners": []}']);
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    expect(await once(child, 'close')).toEqual([65, null]);
    expect(err).toContain('S3_PROXY_OPTIONS — options.listeners');
  });

  test.runIf(existsSync('/proc/self/status'))('streams at flat memory', async () => {
    const { ready } = await start();
    const rss = (): number =>
      Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${ready.pid}/status`, 'utf8'))?.[1]) / 1024;
    const upload = async (mebibytes: number): Promise<void> => {
      const headers = { 'content-length': mebibytes * MIB };
      const sent = request({ port: ready.listeners['data']!.port, method: 'PUT', path: '/bucket/key', headers });
      const answered = once(sent, 'response');
      const piece = Buffer.alloc(MIB);
      for (let count = 0; count < mebibytes; count++) if (!sent.write(piece)) await once(sent, 'drain');
      sent.end();
      await answered;
    };
    await upload(96);
    const before = rss();
    await upload(256);
    expect(rss() - before).toBeLessThan(32);
  });
});
