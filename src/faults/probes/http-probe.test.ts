import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpAnswered, probeHttp } from './http-probe.ts';

const never = new AbortController().signal;
let server: Server | undefined;

const probed = async (serve: RequestListener): Promise<HttpAnswered> => {
  const listening = createServer(serve);
  server = listening;
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  const { port } = listening.address() as { port: number };
  const probe = { address: { host: '127.0.0.1', port }, method: 'GET', path: '/x', deadlineMs: 200 } as const;
  const result = await probeHttp(probe, never);
  listening.closeAllConnections();
  await new Promise((done) => listening.close(done));
  return result;
};

const classOf = async (serve: RequestListener): Promise<string> => (await probed(serve)).class;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('a canary on an HTTP path', () => {
  it('tells every way apart in which an answer can fail to come', async () => {
    expect(await classOf((_, answer) => answer.end('x'))).toBe('ok');
    expect(await classOf((_, answer) => answer.writeHead(503).end())).toBe('http:503');
    expect(await classOf((message) => message.socket.resetAndDestroy())).toBe('reset');
    expect(await classOf(() => undefined)).toBe('timeout');
    expect(await classOf((_, answer) => answer.writeHead(200, { 'content-length': 5 }).write('x'))).toBe('timeout');
  });

  it('tells what was answered, also where the answer broke off', async () => {
    const whole = await probed((_, answer) => answer.writeHead(503, { 'retry-after': '2' }).end('slow down'));
    expect([whole.answer?.headers['retry-after'], String(whole.answer?.body)]).toEqual(['2', 'slow down']);
    const broken = await probed((_, answer) => {
      answer.writeHead(200, { 'content-length': 5 });
      answer.write('abc', () => answer.destroy());
    });
    expect(['eof', 'reset']).toContain(broken.class);
    expect([broken.answer?.status, String(broken.answer?.body)]).toEqual([200, 'abc']);
  });

  it('asks like the load does, on a connection that is meant to stay', async () => {
    let connection: string | undefined;
    await classOf((message, answer) => {
      connection = message.headers.connection;
      answer.end();
    });
    expect(connection).toBe('keep-alive');
  });
});
