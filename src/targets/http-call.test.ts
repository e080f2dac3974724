import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { httpCall, httpJson } from './http-call.ts';
import type { Address } from './target.ts';

let server: Server | undefined;

const serve = async (listener: RequestListener): Promise<Address> => {
  const created = createServer(listener);
  server = created;
  await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', () => resolve()));
  return { host: '127.0.0.1', port: (created.address() as AddressInfo).port };
};

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('an HTTP call', () => {
  it('sends JSON and gives the parsed answer', async () => {
    const address = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => response.end(JSON.stringify({ method: request.method, path: request.url, body })));
    });
    const call = { method: 'POST', address, path: '/a?b=1', body: { x: 1 }, deadlineMs: 2_000 } as const;
    expect(await httpJson(call)).toEqual({ method: 'POST', path: '/a?b=1', body: '{"x":1}' });
  });

  it('that is answered with more than anybody has to say ends there', async () => {
    const address = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, 'x')));
      };
      response.on('drain', more);
      more();
    });
    const call = { method: 'GET', address, path: '/', deadlineMs: 20_000 } as const;
    await expect(httpJson(call)).rejects.toMatchObject({
      code: 'TARGET_ADMIN_ANSWER',
      message: expect.stringContaining('more than 16777216 bytes'),
    });
  });

  it('that is answered with no JSON says so', async () => {
    const address = await serve((_, response) => response.end('<html>'));
    const call = { method: 'GET', address, path: '/', deadlineMs: 2_000 } as const;
    await expect(httpJson(call)).rejects.toMatchObject({ code: 'TARGET_ADMIN_ANSWER', kind: 'environment' });
  });

  it('that is answered with an error says the status and what was said', async () => {
    const address = await serve((_, response) => response.writeHead(503).end('not now'));
    const call = { method: 'GET', address, path: '/', deadlineMs: 2_000 } as const;
    await expect(httpJson(call)).rejects.toThrow(/answered 503: not now/);
    expect(await httpCall(call)).toEqual({ status: 503, text: 'not now' });
  });

  it('that is not answered ends at its deadline', async () => {
    const address = await serve(() => undefined);
    const call = httpJson({ method: 'GET', address, path: '/slow', deadlineMs: 50 });
    await expect(call).rejects.toThrow(/GET \/slow .* got no answer within 50 ms/);
  });

  it('to nobody is an environment error, and an aborted one ends with its reason', async () => {
    const address = { host: '127.0.0.1', port: 1 };
    const call = { method: 'GET', address, path: '/', deadlineMs: 1_000 } as const;
    await expect(httpJson(call)).rejects.toMatchObject({ code: 'TARGET_ADMIN_UNREACHABLE' });
    await expect(httpJson({ ...call, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
