// What can be asked of a proxy, in this process and through the admin API: the same answers, the same refusals.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { S3ProxyControl } from '../../src/s3-proxy/control.ts';
import { connectS3Proxy } from '../../src/s3-proxy/proxy-client.ts';
import type { RuleSpec } from '../../src/s3-proxy/rule-schema.ts';
import { ProxiedStore } from './fixture.ts';

let fixture: ProxiedStore;
let base: string;

beforeAll(async () => {
  fixture = await ProxiedStore.start();
  base = `http://127.0.0.1:${fixture.proxy.admin!.port}`;
});
afterAll(async () => await fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  await fixture.proxy.control.removeRules();
});

const full: RuleSpec = {
  id: 'full',
  ttlMs: 60_000.5,
  match: {
    listener: 'wal',
    method: 'PUT',
    op: 'PutObject',
    keyPrefix: 'a',
    keyGlob: '*/wal/*',
    minBytes: 1,
    maxBytes: 9,
  },
  action: { kind: 'status', status: 503, code: 'SlowDown', retryAfterSeconds: 1 },
  count: 3,
  perKey: 1,
  percent: 12.5,
  afterMatches: 2,
  seed: 7,
};
const small: RuleSpec = { id: 'small', ttlMs: 60_000, action: { kind: 'hang' } };

describe.each(['in this process', 'through the admin API'])('%s', (way) => {
  let control: S3ProxyControl;
  beforeAll(() => {
    control = way === 'in this process' ? fixture.proxy.control : connectS3Proxy(fixture.proxy.admin!);
  });

  test('rules are put in force, told as they were given, and taken away', async () => {
    await control.addRule(full);
    await control.addRule(small);
    expect(await control.rules()).toEqual([full, small]);
    expect([await control.removeRule('full'), await control.removeRule('full')]).toEqual([true, false]);
    expect(await control.rules()).toEqual([small]);
    expect([await control.removeRules(), await control.removeRules(), await control.rules()]).toEqual([1, 0, []]);
  });

  test('a rule that cannot be is refused, with why and what to do', async () => {
    const none = { ...small, ttl: 5 } as RuleSpec;
    await expect(control.addRule(none)).rejects.toMatchObject({
      code: 'S3_PROXY_RULE',
      kind: 'input',
      message: expect.stringContaining('"ttl"'),
      hint: expect.stringContaining('docs/s3-proxy.md'),
    });
    await control.addRule(small);
    await expect(control.addRule(small)).rejects.toMatchObject({ code: 'S3_PROXY_RULE_EXISTS', kind: 'input' });
    const elsewhere = { ...small, id: 'two', match: { listener: 'none' } };
    await expect(control.addRule(elsewhere)).rejects.toMatchObject({ code: 'S3_PROXY_LISTENER_UNKNOWN' });
  });

  test('counters move while a request is in flight, and a drain ends it', async () => {
    await control.addRule({ ...small, match: { keyPrefix: 'held' } });
    const outcome = fixture.failure({ method: 'PUT', key: 'held', body: 'x' });
    const held = { held: 1, rules: { small: { state: 'active', matched: 1, acted: 1, held: 1 } } };
    await expect.poll(async () => await control.counters()).toMatchObject(held);
    const { listeners, startedAt, pid, seed } = await control.counters();
    expect([pid, seed, new Date(startedAt).toISOString()]).toEqual([process.pid, 42, startedAt]);
    expect(listeners['data']?.operations.PutObject).toMatchObject({ inFlight: 1 });
    expect(listeners['data']?.openConnections).toBeGreaterThan(0);
    expect(await control.drain()).toEqual({ endedRules: 1, letGo: 1, cut: 0 });
    expect(await outcome).toBe('ECONNRESET');
    const over = { held: 0, rules: { small: { state: 'removed', acted: 1, held: 0 } } };
    expect(await control.counters()).toMatchObject(over);
  });

  test('a rule on one listener leaves the other alone', async () => {
    await control.addRule({
      id: 'wal',
      ttlMs: 60_000,
      match: { listener: 'wal' },
      action: { kind: 'status', status: 500 },
    });
    expect((await fixture.call({ method: 'PUT', key: 'data', body: 'x' })).status).toBe(200);
    const { port } = fixture.proxy.listeners['wal']!;
    expect((await fetch(`http://127.0.0.1:${port}/records/data`)).status).toBe(500);
    const { answered, upstream } = (await control.counters()).listeners['wal']!.operations.GetObject!;
    expect([Object.keys(answered), upstream]).toEqual([['500'], {}]);
  });
});

describe('over HTTP', () => {
  const ask = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(base + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };

  test('the echo is the request', async () => {
    expect(await ask('POST', '/rules', JSON.stringify(full))).toEqual({ status: 201, json: full });
    expect(await ask('GET', '/rules/full')).toEqual({ status: 200, json: full });
    expect(await ask('DELETE', '/rules/full')).toEqual({ status: 200, json: { removed: 1 } });
  });

  test.each([
    ['POST', '/rules', '{"id": "x"}', 400, 'S3_PROXY_RULE'],
    ['POST', '/rules', '{', 400, 'S3_PROXY_BODY'],
    ['POST', '/rules', '', 400, 'S3_PROXY_RULE'],
    ['POST', '/rules', ' '.repeat(70_000), 413, 'S3_PROXY_BODY'],
    ['POST', '/drain', '{"within": 5}', 400, 'S3_PROXY_DRAIN'],
    ['GET', '/rules/none', undefined, 404, 'S3_PROXY_RULE_UNKNOWN'],
    ['DELETE', '/rules/none', undefined, 404, 'S3_PROXY_RULE_UNKNOWN'],
    ['GET', '/rule', undefined, 404, 'S3_PROXY_PATH'],
    ['PUT', '/rules', '{}', 405, 'S3_PROXY_METHOD'],
    ['POST', '/counters', '{}', 405, 'S3_PROXY_METHOD'],
  ])('%s %s %j is answered %i', async (method, path, body, status, code) => {
    const said = await ask(method, path, body);
    expect(said).toMatchObject({ status, json: { error: { code, hint: expect.any(String) } } });
  });

  test('a second rule of a name is a conflict', async () => {
    await ask('POST', '/rules', JSON.stringify(small));
    expect((await ask('POST', '/rules', JSON.stringify(small))).status).toBe(409);
  });

  test('a web page is not answered', async () => {
    const said = await ask('POST', '/drain', '', { origin: 'http://evil.example' });
    expect(said).toMatchObject({ status: 403, json: { error: { code: 'S3_PROXY_PAGE' } } });
  });
});

describe('a client of something else', () => {
  const withServer = async (status: number, text: string, work: (port: number) => Promise<void>): Promise<void> => {
    const server = createServer((_, response) => {
      if (status > 0) response.writeHead(status).end(text);
    }).listen(0, '127.0.0.1');
    await new Promise<void>((resolve) => server.once('listening', () => resolve()));
    try {
      await work((server.address() as AddressInfo).port);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };

  test('is told that nobody answers', async () => {
    const control = connectS3Proxy({ host: '127.0.0.1', port: 1 });
    await expect(control.rules()).rejects.toMatchObject({ code: 'S3_PROXY_SILENT', kind: 'environment' });
  });

  test('waits no longer than its deadline', async () => {
    await withServer(0, '', async (port) => {
      const control = connectS3Proxy({ host: '127.0.0.1', port }, { deadlineMs: 50 });
      await expect(control.counters()).rejects.toMatchObject({ code: 'DEADLINE_PASSED' });
    });
  });

  test('knows an answer that is none', async () => {
    await withServer(500, 'oops', async (port) => {
      const control = connectS3Proxy({ host: '127.0.0.1', port });
      await expect(control.rules()).rejects.toMatchObject({ code: 'S3_PROXY_ANSWER' });
    });
  });

  test('does not take another rule for its own', async () => {
    await withServer(201, JSON.stringify({ ...small, ttlMs: 1 }), async (port) => {
      const control = connectS3Proxy({ host: '127.0.0.1', port });
      await expect(control.addRule(small)).rejects.toMatchObject({ code: 'S3_PROXY_ECHO' });
    });
  });
});
