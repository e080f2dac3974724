import { afterEach, describe, expect, it } from 'vitest';
import { createJsonCaller, type JsonCaller, type JsonRoutes, startJsonServer } from './json-over-http.ts';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const callerOf = async (routes: JsonRoutes): Promise<JsonCaller & { readonly port: number }> => {
  const server = await startJsonServer({ host: '127.0.0.1', port: 0 }, routes);
  const caller = createJsonCaller({ host: '127.0.0.1', port: server.port });
  open.push(
    () => caller.close(),
    async () => await server.close(),
  );
  return { ...caller, port: server.port };
};

describe('a call', () => {
  it('carries one document each way', async () => {
    const caller = await callerOf({ 'POST /echo': (body) => ({ body: { got: body } }) });
    expect(await caller.call('/echo', { text: 'Grüße', list: [1, 2] }, 1000)).toEqual({
      got: { text: 'Grüße', list: [1, 2] },
    });
  });

  it('that is not answered in time ends at its deadline', async () => {
    const caller = await callerOf({ 'POST /never': async () => await new Promise(() => undefined) });
    const begun = performance.now();
    await expect(caller.call('/never', {}, 100)).rejects.toMatchObject({ code: 'DEADLINE_PASSED' });
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it('is refused with the sentence of the other side', async () => {
    const caller = await callerOf({
      'POST /fails': () => {
        throw new Error('no such thing');
      },
      'POST /says-no': () => ({ status: 503, body: { error: 'not now' } }),
    });
    await expect(caller.call('/fails', {}, 1000)).rejects.toMatchObject({ status: 500, message: /no such thing/ });
    await expect(caller.call('/says-no', {}, 1000)).rejects.toMatchObject({ status: 503, message: /not now/ });
    await expect(caller.call('/nowhere', {}, 1000)).rejects.toMatchObject({ status: 404 });
  });

  it('to nobody fails at once and says where', async () => {
    const { port } = await callerOf({});
    for (const close of open.splice(0)) await close();
    const call = createJsonCaller({ host: '127.0.0.1', port }).call('/x', {}, 1000);
    await expect(call).rejects.toMatchObject({ code: 'EMBEDDED_CALL_FAILED', message: new RegExp(`${port}/x`) });
  });
});

describe('a server', () => {
  it('refuses what is not JSON, and goes on', async () => {
    const caller = await callerOf({ 'POST /echo': (body) => ({ body }) });
    const answer = await fetch(`http://127.0.0.1:${caller.port}/echo`, { method: 'POST', body: '{"half":' });
    expect(answer.status).toBe(400);
    expect(await caller.call('/echo', { fine: true }, 1000)).toEqual({ fine: true });
  });

  it('says which port cannot be had', async () => {
    const { port } = await callerOf({});
    await expect(startJsonServer({ host: '127.0.0.1', port }, {})).rejects.toMatchObject({ code: 'EMBEDDED_PORT' });
  });
});
