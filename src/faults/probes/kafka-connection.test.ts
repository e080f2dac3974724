import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeResponseFrame } from '../../wire/protocol.ts';
import { askApiVersions, KafkaCanaryConnection, probeKafka } from './kafka-connection.ts';

const HOST = '127.0.0.1';
const never = new AbortController().signal;
let server: Server | undefined;
const sockets: Socket[] = [];

/** A listener that treats each connection as the test says; its address. */
const listen = async (serve: (socket: Socket) => void): Promise<{ host: string; port: number }> => {
  const listening = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  server = listening;
  await new Promise<void>((done) => listening.listen(0, HOST, done));
  return { host: HOST, port: (listening.address() as { port: number }).port };
};
const answer =
  (errorCode: number, after = 0) =>
  (socket: Socket) =>
    socket.on('data', (chunk: Buffer) => {
      const frame = encodeResponseFrame('ApiVersions', 0, chunk.readInt32BE(8), { errorCode, apiKeys: [] });
      setTimeout(() => socket.write(frame), after);
    });
const classOf = async (serve: (socket: Socket) => void): Promise<string> =>
  (await probeKafka(await listen(serve), 200, never)).class;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  const listening = server;
  if (listening !== undefined) await new Promise((done) => listening.close(done));
  server = undefined;
});

describe('a canary on a broker', () => {
  it('tells every way apart in which an answer can fail to come', async () => {
    expect(await classOf(answer(0))).toBe('ok');
    expect(await classOf(answer(35))).toBe('kafka:35');
    expect(await classOf((socket) => socket.end())).toBe('eof');
    expect(await classOf((socket) => socket.on('data', () => socket.resetAndDestroy()))).toBe('reset');
    expect(await classOf(() => undefined)).toBe('timeout');
  });

  it('is refused where nobody listens', async () => {
    const address = await listen(() => undefined);
    await new Promise((done) => server?.close(done));
    expect((await probeKafka(address, 200, never)).class).toBe('refused');
  });

  it('measures how long the answer took', async () => {
    const result = await probeKafka(await listen(answer(0, 60)), 1000, never);
    expect(result.class).toBe('ok');
    expect(result.ms).toBeGreaterThanOrEqual(55);
  });

  it('does not take a late answer for that of the next question on a held connection', async () => {
    let asked = 0;
    const address = await listen((socket) => {
      socket.on('data', (chunk: Buffer) => {
        const frame = encodeResponseFrame('ApiVersions', 0, chunk.readInt32BE(8), { errorCode: 0, apiKeys: [] });
        if (++asked === 1) setTimeout(() => socket.write(frame), 150);
      });
    });
    const held = await KafkaCanaryConnection.open(address, 200, never);
    expect((await askApiVersions(held, 100, never)).class).toBe('timeout');
    expect((await askApiVersions(held, 200, never)).class).toBe('timeout');
    expect(held.ended).toBeUndefined();
    held.close();
  });

  it('keeps how a held connection ended', async () => {
    const address = await listen((socket) => socket.on('data', () => socket.resetAndDestroy()));
    const held = await KafkaCanaryConnection.open(address, 200, never);
    expect((await askApiVersions(held, 200, never)).class).toBe('reset');
    expect([held.ended, (await askApiVersions(held, 200, never)).class]).toEqual(['reset', 'reset']);
  });
});
