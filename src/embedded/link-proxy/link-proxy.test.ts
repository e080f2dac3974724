// The link proxy as `toxiproxy-node-client` drives it and as sockets through it feel it.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type ICreateToxicBody, type Proxy, Toxiproxy } from 'toxiproxy-node-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdPort } from '../../../test/support/port-claim.ts';
import { type RunningProxy, startProxy } from './running-proxy.ts';

let running: RunningProxy;
let api: string;
let client: Toxiproxy;
let echo: Server;
let echoSockets: Socket[];

const listen = async (server: Server): Promise<number> =>
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });

beforeEach(async () => {
  running = await startProxy({ seed: 7 });
  api = `http://127.0.0.1:${running.apiPort}`;
  client = new Toxiproxy(api);
  echoSockets = [];
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    echoSockets.push(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
});

afterEach(async () => {
  await running.stop();
  for (const socket of echoSockets) socket.destroy();
  await new Promise((resolve) => echo.close(resolve));
});

/** One side of a connection, with what happened to it. */
interface Peer {
  readonly socket: Socket;
  readonly bytes: () => Buffer;
  readonly received: () => string;
  readonly ending: () => 'open' | 'fin' | 'reset' | 'refused';
}

const watch = (socket: Socket): Peer => {
  const chunks: Buffer[] = [];
  let ending: ReturnType<Peer['ending']> = 'open';
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('end', () => {
    ending = 'fin';
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    ending = error.code === 'ECONNREFUSED' ? 'refused' : 'reset';
  });
  const bytes = (): Buffer => Buffer.concat(chunks);
  return { socket, bytes, received: () => bytes().toString(), ending: () => ending };
};

const portOf = (proxy: Proxy): number => Number(proxy.listen.split(':')[1]);

const dial = async (port: number): Promise<Peer> => {
  const peer = watch(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
  await new Promise<void>((resolve) => peer.socket.once('connect', () => resolve()).once('error', () => resolve()));
  return peer;
};

const echoProxy = async (): Promise<Proxy> =>
  await client.createProxy({ name: 'echo', listen: '127.0.0.1:0', upstream: `127.0.0.1:${await listen(echo)}` });

/** Dials and has one word echoed, so that the link stands in both directions. */
const established = async (proxy: Proxy): Promise<Peer> => {
  const peer = await dial(portOf(proxy));
  peer.socket.write('hi ');
  await expect.poll(peer.received).toBe('hi ');
  return peer;
};

const add = async (proxy: Proxy, type: string, stream: string, attributes: object): Promise<void> => {
  await proxy.addToxic({ type, stream, name: type, toxicity: 1, attributes } as unknown as ICreateToxicBody<never>);
};

const removeToxic = async (proxy: Proxy, name: string): Promise<void> => await (await proxy.getToxic(name)).remove();

interface Connections {
  readonly proxies: Record<
    string,
    { open: number; accepted: number; upstream: Record<string, number>; downstream: Record<string, number> }
  >;
}
const connections = async () =>
  ((await (await fetch(`${api}/_ackproof/connections`)).json()) as Connections).proxies['echo']!;

const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
  const answer = await fetch(`${api}${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
};

describe('the API', () => {
  test('a proxy is created, read back, changed and removed', async () => {
    const proxy = await echoProxy();
    expect(portOf(proxy)).toBeGreaterThan(0);
    expect(portOf(proxy)).toBeLessThan(32_768);
    expect((await client.get('echo')).toJson()).toEqual(proxy.toJson());
    expect(Object.keys(await client.getAll())).toEqual(['echo']);
    expect((await proxy.update({ ...proxy.toJson(), enabled: false })).enabled).toBe(false);
    expect((await dial(portOf(proxy))).ending()).toBe('refused');
    await proxy.remove();
    expect((await call('GET', '/proxies')).json).toEqual({});
  });

  test('a toxic is created with defaults, read back, changed and removed', async () => {
    await echoProxy();
    const created = await call('POST', '/proxies/echo/toxics', { type: 'latency', attributes: { latency: 5 } });
    const expected = {
      attributes: { latency: 5, jitter: 0 },
      name: 'latency_downstream',
      type: 'latency',
      stream: 'downstream',
      toxicity: 1,
    };
    expect(created).toEqual({ status: 200, json: expected });
    const path = '/proxies/echo/toxics/latency_downstream';
    const changed = { ...expected, attributes: { latency: 5, jitter: 2 } };
    expect(await call('PATCH', path, { attributes: { jitter: 2 } })).toEqual({ status: 200, json: changed });
    expect(await call('GET', '/proxies/echo/toxics')).toEqual({ status: 200, json: [changed] });
    expect((await call('GET', '/proxies/echo')).json).toMatchObject({ toxics: [changed] });
    expect(await call('DELETE', path)).toEqual({ status: 204, json: undefined });
    expect(await call('GET', path)).toEqual({ status: 404, json: { error: 'toxic not found', status: 404 } });
  });

  test('what cannot be done is answered with Toxiproxy’s status and error', async () => {
    await echoProxy();
    const refusals: readonly (readonly [string, string, unknown, number, RegExp])[] = [
      ['GET', '/proxies/none', undefined, 404, /^proxy not found$/],
      ['POST', '/proxies', { name: 'echo', upstream: '127.0.0.1:1' }, 409, /^proxy already exists$/],
      ['POST', '/proxies', { upstream: '127.0.0.1:1' }, 400, /^missing required field: name$/],
      ['POST', '/proxies', { name: 'x' }, 400, /^missing required field: upstream$/],
      ['POST', '/proxies', '{', 400, /^bad request body/],
      ['POST', '/proxies/echo/toxics', { type: 'quake' }, 400, /^invalid toxic type/],
      ['POST', '/proxies/echo/toxics', { type: 'latency', stream: 'both' }, 400, /^stream was invalid/],
      ['POST', '/proxies/echo/toxics', { type: 'latency', attributes: { latency: -5 } }, 400, /latency/],
      ['POST', '/proxies/echo/toxics', { type: 'latency', toxicity: 5 }, 400, /toxicity/],
      ['POST', '/proxies/echo/toxics', { type: 'slicer' }, 400, /average_size/],
      ['POST', '/nothing', undefined, 404, /not found/],
    ];
    for (const [method, path, body, status, error] of refusals) {
      expect(await call(method, path, body)).toEqual({ status, json: { error: expect.stringMatching(error), status } });
    }
    await call('POST', '/proxies/echo/toxics', { type: 'latency', name: 'same' });
    const again = await call('POST', '/proxies/echo/toxics', { type: 'timeout', stream: 'upstream', name: 'same' });
    expect(again).toEqual({ status: 409, json: { error: 'toxic already exists', status: 409 } });
  });

  test('populate leaves an equal proxy alone and replaces another; reset enables and removes toxics', async () => {
    const proxy = await echoProxy();
    await add(proxy, 'latency', 'upstream', { latency: 1 });
    await call('PATCH', '/proxies/echo', { enabled: false });
    const same = await call('POST', '/populate', [{ name: 'echo', listen: proxy.listen, upstream: proxy.upstream }]);
    expect(same).toMatchObject({ status: 201, json: { proxies: [{ enabled: false, toxics: [{ name: 'latency' }] }] } });
    expect((await call('POST', '/reset')).status).toBe(204);
    expect((await call('GET', '/proxies/echo')).json).toMatchObject({ enabled: true, toxics: [] });
    const other = await client.populate([{ name: 'echo', listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }] as never);
    expect(other['echo']?.upstream).toBe('127.0.0.1:1');
    expect(JSON.parse(await client.getVersion())).toEqual({ version: '2.12.0' });
  });

  test('a port that is taken is told, and there is no such proxy afterwards', async () => {
    const port = await listen(echo);
    const taken = await call('POST', '/proxies', { name: 'x', listen: `127.0.0.1:${port}`, upstream: '127.0.0.1:1' });
    expect(taken).toMatchObject({ status: 500, json: { error: expect.stringContaining('EADDRINUSE') } });
    expect((await call('GET', '/proxies/x')).status).toBe(404);
  });

  // Red before: a test's many proxies kept 1,740 ports in a row from a drill beside them.
  test('a port it was free to choose stays its own until the end, and is given back then', async () => {
    const other = await startProxy({ proxies: [{ name: 'any', upstream: '127.0.0.1:1' }] });
    const port = Number(other.listening['any']?.split(':')[1]);
    await fetch(`http://127.0.0.1:${other.apiPort}/proxies/any`, { method: 'DELETE' });
    expect(await holdPort(port)).toBeUndefined();
    await other.stop();
    const held = await holdPort(port);
    expect(held).toBeDefined();
    held?.close();
  });
});

describe('without toxics', () => {
  test('bytes pass both ways unchanged, under back-pressure too', async () => {
    const proxy = await echoProxy();
    const peer = await dial(portOf(proxy));
    const sent = Buffer.alloc(64 * 1024 * 1024, 'some pattern of odd length ');
    peer.socket.pause();
    peer.socket.end(sent);
    await expect.poll(async () => (await connections()).upstream['receivedBytes']).toBeGreaterThan(0);
    const halfway = await connections();
    expect(halfway.upstream['receivedBytes']).toBeLessThan(sent.length);
    peer.socket.resume();
    await expect.poll(peer.ending, { timeout: 5000 }).toBe('fin');
    expect(peer.bytes().equals(sent)).toBe(true);
  });

  test('a half-closed link still carries the other direction', async () => {
    const proxy = await echoProxy();
    const peer = await dial(portOf(proxy));
    peer.socket.end('last words');
    await expect.poll(peer.ending).toBe('fin');
    expect(peer.received()).toBe('last words');
    await expect.poll(async () => (await connections()).open).toBe(0);
  });

  test('counts move while a link is open and stay after it closed', async () => {
    const peer = await established(await echoProxy());
    const bytes = { receivedBytes: 3, passedBytes: 3 };
    expect(await connections()).toMatchObject({ open: 1, accepted: 1, upstream: bytes, downstream: bytes });
    peer.socket.destroy();
    await expect.poll(connections).toMatchObject({ open: 0, accepted: 1, upstream: bytes, downstream: bytes });
  });

  test('a reset of one side reaches the other as a reset', async () => {
    const peer = await established(await echoProxy());
    const far = watch(echoSockets[0]!);
    peer.socket.resetAndDestroy();
    await expect.poll(far.ending).toBe('reset');
  });

  test('an upstream that is not there closes the client', async () => {
    const proxy = await client.createProxy({ name: 'echo', listen: '127.0.0.1:0', upstream: '127.0.0.1:1' });
    const peer = await dial(portOf(proxy));
    await expect.poll(peer.ending).toBe('fin');
    expect(await connections()).toMatchObject({ open: 0, accepted: 1, dialFailures: 1 });
  });
});

describe('disabling', () => {
  test('cuts links, refuses new ones, keeps the toxics and takes the same port again', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    await add(proxy, 'timeout', 'downstream', { timeout: 0 });
    await call('PATCH', '/proxies/echo', { enabled: false });
    await expect.poll(peer.ending).not.toBe('open');
    expect((await dial(portOf(proxy))).ending()).toBe('refused');
    const enabled = await call('PATCH', '/proxies/echo', { enabled: true });
    expect(enabled.json).toMatchObject({ listen: proxy.listen, enabled: true, toxics: [{ name: 'timeout' }] });
    expect((await dial(portOf(proxy))).ending()).toBe('open');
  });
});

describe('toxics on an open link', () => {
  test('latency delays, and removing it under load neither loses nor reorders a byte', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    await add(proxy, 'latency', 'downstream', { latency: 60, jitter: 20 });
    const started = performance.now();
    peer.socket.write('a');
    await expect.poll(peer.received, { interval: 2 }).toBe('hi a');
    expect(performance.now() - started).toBeGreaterThan(38);
    let sent = 'hi a';
    for (let round = 0; round < 20; round++) {
      for (let word = 0; word < 20; word++) {
        const text = `${round}.${word} `;
        sent += text;
        peer.socket.write(text);
      }
      if (round % 2 === 0) await removeToxic(proxy, 'latency');
      else await add(proxy, 'latency', 'downstream', { latency: 400, jitter: 100 });
    }
    await removeToxic(proxy, 'latency');
    await expect.poll(peer.received, { interval: 5 }).toBe(sent);
  });

  test('timeout drops what the server says, and its removal closes the link', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    await add(proxy, 'timeout', 'downstream', { timeout: 0 });
    peer.socket.write('lost');
    await expect.poll(connections).toMatchObject({ downstream: { receivedBytes: 7, passedBytes: 3 } });
    expect(peer.ending()).toBe('open');
    await removeToxic(proxy, 'timeout');
    await expect.poll(peer.ending).toBe('fin');
    expect(peer.received()).toBe('hi ');
  });

  test('reset_peer resets both sides at the next data', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    const far = watch(echoSockets[0]!);
    await add(proxy, 'reset_peer', 'upstream', { timeout: 0 });
    expect(peer.ending()).toBe('open');
    peer.socket.write('x');
    await expect.poll(peer.ending).toBe('reset');
    await expect.poll(far.ending).toBe('reset');
    expect(far.received()).toBe('');
  });

  test('limit_data passes exactly that many bytes and closes', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    await add(proxy, 'limit_data', 'downstream', { bytes: 4 });
    peer.socket.write('abcdefgh');
    await expect.poll(peer.ending).toBe('fin');
    expect(peer.received()).toBe('hi abcd');
  });

  test('limit_data 0 loses the answer to a request that arrived', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    const far = watch(echoSockets[0]!);
    await add(proxy, 'limit_data', 'downstream', { bytes: 0 });
    peer.socket.write('request');
    await expect.poll(peer.ending).toBe('fin');
    expect(far.received()).toBe('request');
    expect(peer.received()).toBe('hi ');
  });

  test('bandwidth holds a transfer to its rate, and raising it takes effect', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    await add(proxy, 'bandwidth', 'upstream', { rate: 100 });
    const started = performance.now();
    peer.socket.write(Buffer.alloc(20_000, 'b'));
    await expect.poll(() => peer.received().length, { interval: 2 }).toBe(20_003);
    expect(performance.now() - started).toBeGreaterThan(190);
    await call('PATCH', '/proxies/echo/toxics/bandwidth', { attributes: { rate: 1 } });
    peer.socket.write(Buffer.alloc(100_000, 'b'));
    await call('PATCH', '/proxies/echo/toxics/bandwidth', { attributes: { rate: 1_000_000 } });
    await expect.poll(() => peer.received().length, { interval: 2 }).toBe(120_003);
  });

  test('slicer and slow_close keep every byte and the close', async () => {
    const proxy = await echoProxy();
    const peer = await established(proxy);
    await add(proxy, 'slicer', 'upstream', { average_size: 10, size_variation: 5, delay: 100 });
    await add(proxy, 'slow_close', 'downstream', { delay: 50 });
    const text = 'x'.repeat(500);
    peer.socket.end(text);
    await expect.poll(peer.ending).toBe('fin');
    expect(peer.received()).toBe(`hi ${text}`);
  });

  test('a toxicity of one half affects the same links in every run with the same seed', async () => {
    const proxy = await echoProxy();
    const path = '/proxies/echo/toxics';
    await call('POST', path, { type: 'limit_data', name: 'some', toxicity: 0.5, attributes: { bytes: 0 } });
    const fates: string[] = [];
    for (let index = 0; index < 8; index++) {
      const peer = await dial(portOf(proxy));
      peer.socket.write('x');
      await expect.poll(() => peer.ending() !== 'open' || peer.received() === 'x').toBe(true);
      fates.push(peer.ending());
      peer.socket.destroy();
    }
    expect(fates).toEqual(['open', 'fin', 'open', 'fin', 'fin', 'open', 'open', 'fin']);
  });
});
