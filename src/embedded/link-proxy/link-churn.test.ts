// Clients come and go while toxics are put on and taken off: the sequences that wedge or end Toxiproxy. Here each call is
// answered at once and the proxy carries data afterwards as if nothing had been.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningProxy, startProxy } from './running-proxy.ts';

const CALL_DEADLINE_MS = 2000;
let running: RunningProxy;
let talker: Server;
let port: number;
const sockets = new Set<Socket>();
let churning = false;

const keep = (socket: Socket): Socket => {
  sockets.add(socket);
  return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
};

/** Sends 16 KB every 4 ms until the client goes, and whatever the client says back at once. */
const talk = (socket: Socket): void => {
  keep(socket);
  const timer = setInterval(() => socket.write(Buffer.alloc(16_000)), 4);
  socket.on('close', () => clearInterval(timer));
  socket.on('end', () => socket.end());
  socket.resume();
};

/** One client after the other, each for at most 60 ms. */
const churn = async (lane: number): Promise<void> => {
  for (let index = 0; churning; index++) {
    const socket = keep(connect(port, '127.0.0.1')).resume();
    await new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      setTimeout(() => socket.destroy(), 5 + ((lane * 7 + index * 13) % 55));
    });
  }
};

const call = async (method: string, path: string, body?: unknown): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${running.apiPort}${path}`, {
    method,
    signal: AbortSignal.timeout(CALL_DEADLINE_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await answer.arrayBuffer();
  return answer.status;
};

beforeEach(async () => {
  talker = createServer(talk);
  await new Promise<void>((resolve) => talker.listen(0, '127.0.0.1', () => resolve()));
  const upstream = `127.0.0.1:${(talker.address() as { port: number }).port}`;
  running = await startProxy({ proxies: [{ name: 'p', upstream }] });
  port = Number(running.listening['p']!.split(':')[1]);
});

afterEach(async () => {
  churning = false;
  await running.stop();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => talker.close(resolve));
});

const SETTINGS: readonly (readonly [string, object, object])[] = [
  ['latency', { latency: 400, jitter: 100 }, { latency: 0, jitter: 0 }],
  ['bandwidth', { rate: 50 }, { rate: 1_000_000 }],
  ['timeout', { timeout: 0 }, { timeout: 20 }],
  ['reset_peer', { timeout: 0 }, { timeout: 8000 }],
  ['limit_data', { bytes: 100_000 }, { bytes: 0 }],
  ['slow_close', { delay: 300 }, { delay: 0 }],
  ['slicer', { average_size: 1000, size_variation: 100, delay: 500 }, { average_size: 200 }],
];

describe('under churn', () => {
  test('every toxic can be put on, changed and taken off, on both streams, and the proxy disabled meanwhile', async () => {
    churning = true;
    const lanes = Array.from({ length: 12 }, async (_, lane) => await churn(lane));
    for (const stream of ['downstream', 'upstream']) {
      for (const [type, attributes, changed] of SETTINGS) {
        const path = `/proxies/p/toxics/${type}_${stream}`;
        expect(await call('POST', '/proxies/p/toxics', { type, stream, attributes })).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(await call('PATCH', path, { attributes: changed })).toBe(200);
        if (type === 'latency') expect(await call('PATCH', '/proxies/p', { enabled: false })).toBe(200);
        expect(await call('DELETE', path)).toBe(204);
        expect(await call('PATCH', '/proxies/p', { enabled: true })).toBe(200);
      }
    }
    churning = false;
    await Promise.all(lanes);
    const socket = keep(connect(port, '127.0.0.1'));
    let receivedBytes = 0;
    socket.on('data', (chunk) => (receivedBytes += chunk.length));
    await expect.poll(() => receivedBytes, { timeout: CALL_DEADLINE_MS }).toBeGreaterThan(32_000);
    socket.destroy();
    await expect
      .poll(async () => await (await fetch(`http://127.0.0.1:${running.apiPort}/_ackproof/connections`)).json())
      .toMatchObject({ proxies: { p: { open: 0 } } });
  });
});
