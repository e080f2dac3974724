// Every action three times over: what the counters say, what the caller saw, and what a HEAD past the proxy finds. Each ends with
// a request on the same pool of kept connections, which must be as good as ever.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bareCaller } from '../support/bare-sockets.ts';
import { BUCKET, type Heard, ProxiedStore } from './fixture.ts';

let fixture: ProxiedStore;
let number = 0;
/** A key of this test's own, and a rule's id. */
let key: string;

beforeAll(async () => {
  fixture = await ProxiedStore.start();
});
afterAll(async () => await fixture[Symbol.asyncDispose]());
beforeEach(() => {
  key = `wal/${++number}`;
});
afterEach(async () => {
  expect((await fixture.proxy.control.drain()).cut).toBe(0);
  const counters = await fixture.proxy.control.counters();
  expect([counters.held, await fixture.proxy.control.rules()]).toEqual([0, []]);
});

const BODY = 'what a broker would keep';
const put = { method: 'PUT', body: BODY } as const;

/** The next call on the kept connections is served like any other; whether by the connection of `before`. */
const nextIsServed = async (before?: Heard): Promise<boolean> => {
  const next = await fixture.call({ ...put, key: `${key}-next` });
  expect([next.status, await fixture.stored(`${key}-next`)]).toEqual([200, BODY]);
  return next.localPort === before?.localPort;
};

describe('status', () => {
  test('is answered in S3’s words, and nothing reaches the store', async () => {
    const action = { kind: 'status', status: 503, code: 'ServiceUnavailable', retryAfterSeconds: 3 } as const;
    await fixture.rule({ id: key.replace('/', '-'), match: { keyPrefix: key, op: 'PutObject' }, action, count: 1 });
    const heard = await fixture.call({ ...put, key });
    expect([heard.status, heard.headers['retry-after'], heard.headers['content-type']]).toEqual([
      503,
      '3',
      'application/xml',
    ]);
    const requestId = `${key.replace('/', '-')}.1`;
    expect(heard.headers['x-amz-request-id']).toBe(requestId);
    expect(heard.body.toString()).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>ServiceUnavailable</Code>' +
        '<Message>Answered by a rule of the ackproof S3 proxy.</Message>' +
        `<Resource>/${BUCKET}/${key}</Resource><RequestId>${requestId}</RequestId></Error>`,
    );
    expect(await fixture.isStored(key)).toBe(false);
    const counters = await fixture.counters(key.replace('/', '-'));
    expect(counters).toMatchObject({ matched: 1, acted: 1, forwarded: 0, upstream2xx: 0, held: 0 });
    expect(counters.responseBytes).toBeGreaterThan(heard.body.length);
    expect(await nextIsServed(heard)).toBe(true);
  });

  test.each([
    [403, 'AccessDenied'],
    [404, 'NoSuchKey'],
    [412, 'PreconditionFailed'],
    [500, 'InternalError'],
    [503, 'SlowDown'],
  ] as const)('%i says %s unless it is told otherwise', async (status, code) => {
    await fixture.rule({ id: `s${status}`, action: { kind: 'status', status }, count: 1 });
    const heard = await fixture.call({ method: 'GET', key });
    expect([heard.status, heard.body.toString()]).toEqual([status, expect.stringContaining(`<Code>${code}</Code>`)]);
  });

  test('to HEAD has no body, and the connection goes on', async () => {
    await fixture.rule({ id: 'head', action: { kind: 'status', status: 404 }, count: 1 });
    const heard = await fixture.call({ method: 'HEAD', key });
    expect([heard.status, heard.body.length]).toEqual([404, 0]);
    expect(await nextIsServed(heard)).toBe(true);
  });

  test('is told to a caller that waits for 100-continue before it has sent its body', async () => {
    await fixture.rule({ id: 'expect', action: { kind: 'status', status: 503 }, count: 1 });
    const caller = await bareCaller(fixture.proxy.listeners['data']!.port);
    caller.send(`PUT /${BUCKET}/${key} HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`);
    expect(await caller.untilEnded()).toBe('close');
    expect(caller.received).toMatch(/^HTTP\/1\.1 503 .*Connection: close\r\n.*<Code>SlowDown</su);
    expect(await fixture.counters('expect')).toMatchObject({ acted: 1, forwarded: 0 });
    await nextIsServed();
  });
});

describe('delay', () => {
  test('before: the store has it late, and the caller its success', async () => {
    await fixture.rule({ id: 'before', match: { keyPrefix: key }, action: { kind: 'delay', beforeMs: 300 }, count: 1 });
    const answer = fixture.call({ ...put, key });
    await expect.poll(async () => await fixture.counters('before')).toMatchObject({ acted: 1, held: 1, forwarded: 0 });
    expect(await fixture.isStored(key)).toBe(false);
    const heard = await answer;
    expect([heard.status, await fixture.stored(key)]).toEqual([200, BODY]);
    expect(await fixture.counters('before')).toMatchObject({ acted: 1, forwarded: 1, upstream2xx: 1, held: 0 });
    expect(await nextIsServed(heard)).toBe(true);
  });

  test('after: the store has it before the caller hears of it', async () => {
    await fixture.rule({ id: 'after', match: { keyPrefix: key }, action: { kind: 'delay', afterMs: 300 }, count: 1 });
    const answer = fixture.call({ ...put, key });
    const held = { acted: 1, held: 1, upstream2xx: 1, responseBytes: 0 };
    await expect.poll(async () => await fixture.counters('after')).toMatchObject(held);
    expect(await fixture.stored(key)).toBe(BODY);
    const heard = await answer;
    expect(heard.status).toBe(200);
    expect((await fixture.counters('after')).responseBytes).toBeGreaterThan(0);
    expect(await nextIsServed(heard)).toBe(true);
  });

  test('of a caller that leaves meanwhile has sent nothing to the store', async () => {
    await fixture.rule({
      id: 'left',
      match: { keyPrefix: key },
      action: { kind: 'delay', beforeMs: 50_000 },
      count: 1,
    });
    expect(await fixture.failure({ ...put, key, withinMs: 100 })).toBe('gave up');
    const left = { acted: 1, held: 0, forwarded: 0, callerAborted: 1 };
    await expect.poll(async () => await fixture.counters('left')).toMatchObject(left);
    expect(await fixture.isStored(key)).toBe(false);
    await nextIsServed();
  });

  test('goes on at once when its rule is taken away', async () => {
    await fixture.rule({ id: 'freed', match: { keyPrefix: key }, action: { kind: 'delay', beforeMs: 50_000 } });
    const answer = fixture.call({ ...put, key });
    await expect.poll(async () => await fixture.counters('freed')).toMatchObject({ held: 1 });
    await fixture.proxy.control.removeRule('freed');
    expect([(await answer).status, await fixture.stored(key)]).toEqual([200, BODY]);
  });
});

describe('hang', () => {
  test('says nothing until the caller gives up, and nothing reaches the store', async () => {
    await fixture.rule({ id: 'hang', match: { keyPrefix: key }, action: { kind: 'hang' }, count: 1 });
    expect(await fixture.failure({ ...put, key, withinMs: 100 })).toBe('gave up');
    const seen = { acted: 1, held: 0, forwarded: 0, responseBytes: 0, callerAborted: 1 };
    await expect.poll(async () => await fixture.counters('hang')).toMatchObject(seen);
    expect(await fixture.isStored(key)).toBe(false);
    await nextIsServed();
  });

  test.each([
    ['maxMs is over', { action: { kind: 'hang', maxMs: 50 }, ttlMs: 60_000 }],
    ['its rule is', { action: { kind: 'hang' }, ttlMs: 200 }],
  ] as const)('ends with a reset when %s', async (_, rule) => {
    await fixture.rule({ id: 'hang-end', match: { keyPrefix: key }, ...rule });
    expect(await fixture.failure({ ...put, key })).toBe('ECONNRESET');
    expect(await fixture.counters('hang-end')).toMatchObject({ acted: 1, callerAborted: 0 });
    expect(await fixture.isStored(key)).toBe(false);
    await fixture.proxy.control.removeRules();
    await nextIsServed();
  });
});

describe('abort', () => {
  test.each([
    ['reset', 0],
    ['close', 0],
    ['reset', 10],
    ['close', 10],
    ['reset', 10_000],
    ['close', 10_000],
  ] as const)('by %s after %i bytes: a broken upload that is never committed', async (how, afterBytes) => {
    const action = { kind: 'abort', how, afterBytes } as const;
    await fixture.rule({ id: 'abort', match: { keyPrefix: key }, action, count: 1 });
    expect(await fixture.failure({ ...put, key })).toBe('ECONNRESET'); // Node.js says so of a close too, when it is too early
    const forwarded = afterBytes === 0 ? 0 : 1;
    const seen = { acted: 1, held: 0, forwarded, upstream2xx: 0, responseBytes: 0, callerAborted: 0 };
    await expect.poll(async () => await fixture.counters('abort')).toMatchObject(seen);
    await nextIsServed();
    expect(await fixture.isStored(key)).toBe(false);
  });

  test('of a request without a body does not let it through', async () => {
    await fixture.direct({ ...put, key });
    await fixture.rule({
      id: 'delete',
      match: { keyPrefix: key },
      action: { kind: 'abort', how: 'reset', afterBytes: 99 },
      count: 1,
    });
    expect(await fixture.failure({ method: 'DELETE', key })).toBe('ECONNRESET');
    expect(await fixture.isStored(key)).toBe(true);
    await nextIsServed();
  });
});

describe('forward-then-drop', () => {
  test.each(['reset', 'close'] as const)('by %s: committed, and the caller has no answer', async (how) => {
    const action = { kind: 'forward-then-drop', how } as const;
    await fixture.rule({ id: 'lost', match: { op: 'PutObject', keyGlob: 'wal/*' }, action, perKey: 1 });
    expect(await fixture.failure({ ...put, key })).toBe('ECONNRESET');
    const seen = { acted: 1, held: 0, forwarded: 1, upstream2xx: 1, responseBytes: 0 };
    expect(await fixture.counters('lost')).toMatchObject(seen);
    expect(await fixture.stored(key)).toBe(BODY);
    // The retry of the same key gets through.
    expect((await fixture.call({ ...put, key })).status).toBe(200);
    await fixture.proxy.control.removeRules();
    await nextIsServed();
  });

  test('by hang: committed, and the caller gives up', async () => {
    const action = { kind: 'forward-then-drop', how: 'hang' } as const;
    await fixture.rule({ id: 'lost-hang', match: { keyPrefix: key }, action, count: 1 });
    const answer = fixture.failure({ ...put, key, withinMs: 400 });
    const held = { acted: 1, held: 1, upstream2xx: 1, responseBytes: 0 };
    await expect.poll(async () => await fixture.counters('lost-hang')).toMatchObject(held);
    expect(await fixture.stored(key)).toBe(BODY);
    expect(await answer).toBe('gave up');
    await expect.poll(async () => await fixture.counters('lost-hang')).toMatchObject({ held: 0, callerAborted: 1 });
    await nextIsServed();
  });

  test('of an upload that waits for 100-continue', async () => {
    await fixture.rule({ id: 'lost-expect', action: { kind: 'forward-then-drop', how: 'reset' }, count: 1 });
    const headers = { expect: '100-continue' };
    expect(await fixture.failure({ ...put, key, headers })).toBe('ECONNRESET');
    expect(await fixture.counters('lost-expect')).toMatchObject({ upstream2xx: 1, responseBytes: 0 });
    expect(await fixture.stored(key)).toBe(BODY);
  });
});

describe('late-forward', () => {
  test('status: failure now, and the old bytes over a newer retry', async () => {
    const action = { kind: 'late-forward', afterMs: 400, reply: 'status' } as const;
    await fixture.rule({ id: 'late', match: { keyPrefix: key }, action, perKey: 1 });
    const heard = await fixture.call({ ...put, key });
    expect([heard.status, await fixture.isStored(key)]).toEqual([500, false]);
    expect(await fixture.counters('late')).toMatchObject({ acted: 1, held: 1, forwarded: 0, lateForwards: [] });
    expect((await fixture.call({ method: 'PUT', key, body: 'newer' })).localPort).toBe(heard.localPort);
    expect(await fixture.stored(key)).toBe('newer');
    const done = { held: 0, forwarded: 1, upstream2xx: 1 };
    await expect.poll(async () => await fixture.counters('late')).toMatchObject(done);
    expect(await fixture.stored(key)).toBe(BODY);
    const { lateForwards } = await fixture.counters('late');
    expect(lateForwards).toEqual([{ at: expect.stringMatching(/Z$/), bucket: BUCKET, key, status: 200 }]);
    expect(fixture.notes.at(-1)).toContain(`late.1: PutObject ${BUCKET}/${key} was forwarded late, answered 200`);
    await fixture.proxy.control.removeRules();
    expect(await nextIsServed(heard)).toBe(true);
  });

  test('drop: no answer, and committed later', async () => {
    const action = { kind: 'late-forward', afterMs: 200, reply: 'drop' } as const;
    await fixture.rule({ id: 'late-drop', match: { keyPrefix: key }, action, count: 1 });
    expect(await fixture.failure({ ...put, key, headers: { expect: '100-continue' } })).toBe('ECONNRESET');
    expect(await fixture.isStored(key)).toBe(false);
    await expect.poll(async () => await fixture.counters('late-drop')).toMatchObject({ held: 0, responseBytes: 0 });
    expect(await fixture.stored(key)).toBe(BODY);
    await nextIsServed();
  });

  test('comes at once when its rule ends, so that nothing comes after a drain', async () => {
    const action = { kind: 'late-forward', afterMs: 50_000, reply: 'status', status: 503 } as const;
    await fixture.rule({ id: 'late-drain', match: { keyPrefix: key }, action });
    expect((await fixture.call({ ...put, key })).status).toBe(503);
    expect(await fixture.proxy.control.drain()).toEqual({ endedRules: 1, letGo: 1, cut: 0 });
    expect(await fixture.stored(key)).toBe(BODY);
  });
});

describe('slow-body', () => {
  const body = 'x'.repeat(64 * 1024);

  test('reaches the store at its rate, and the caller has its success', async () => {
    const action = { kind: 'slow-body', rateKiBPerSecond: 256 } as const;
    await fixture.rule({ id: 'slow', match: { keyPrefix: key }, action, count: 1 });
    const from = performance.now();
    const heard = await fixture.call({ method: 'PUT', key, body });
    expect([heard.status, await fixture.stored(key)]).toEqual([200, body]);
    expect(performance.now() - from).toBeGreaterThan(240);
    expect(await fixture.counters('slow')).toMatchObject({ acted: 1, forwarded: 1, upstream2xx: 1, held: 0 });
    expect(await nextIsServed(heard)).toBe(true);
  });

  test('of a caller that gives up and tries again: both attempts are committed', async () => {
    const action = { kind: 'slow-body', rateKiBPerSecond: 128 } as const;
    await fixture.rule({ id: 'slow-retry', match: { keyPrefix: key }, action, perKey: 1 });
    expect(await fixture.failure({ method: 'PUT', key, body, withinMs: 150 })).toBe('gave up');
    expect((await fixture.call({ method: 'PUT', key, body: 'retry' })).status).toBe(200);
    expect(await fixture.stored(key)).toBe('retry');
    const seen = { acted: 1, held: 0, upstream2xx: 1, callerAborted: 1 };
    await expect.poll(async () => await fixture.counters('slow-retry')).toMatchObject(seen);
    expect(await fixture.stored(key)).toBe(body);
    await fixture.proxy.control.removeRules();
    await nextIsServed();
  });

  test('of a caller that leaves before it has sent all of it has committed nothing', async () => {
    await fixture.rule({
      id: 'slow-left',
      match: { keyPrefix: key },
      action: { kind: 'slow-body', rateKiBPerSecond: 512 },
    });
    const half = { method: 'PUT', key, body: 'half', headers: { 'content-length': '9' }, withinMs: 100 };
    expect(await fixture.failure(half)).toBe('gave up');
    await expect.poll(async () => await fixture.counters('slow-left')).toMatchObject({ held: 0, upstream2xx: 0 });
    expect(await fixture.isStored(key)).toBe(false);
  });
});

describe('what a reader gets', () => {
  const object = 'x'.repeat(200_000);
  const allow = 'corrupt';
  beforeEach(async () => {
    await fixture.direct({ method: 'PUT', key, body: object });
  });
  afterEach(async () => {
    const untouched = await fixture.direct({ method: 'HEAD', key });
    expect(untouched.headers['content-length']).toBe('200000');
    expect(await fixture.stored(key)).toBe(object);
  });

  test('truncate, keep: the body ends too early', async () => {
    const action = { kind: 'truncate', bytes: 150_000, length: 'keep', allow } as const;
    await fixture.rule({ id: 'cut', match: { op: 'GetObject', keyPrefix: key }, action, count: 1 });
    expect(await fixture.failure({ method: 'GET', key })).toBe('ECONNRESET'); // Node.js: "aborted"
    expect(await fixture.counters('cut')).toMatchObject({ acted: 1, forwarded: 1, upstream2xx: 1, held: 0 });
    await nextIsServed();
  });

  test('truncate, rewrite: a valid answer of a short object', async () => {
    const action = { kind: 'truncate', bytes: 150_000, length: 'rewrite', allow } as const;
    await fixture.rule({ id: 'short', match: { op: 'GetObject', keyPrefix: key }, action, count: 1 });
    const heard = await fixture.call({ method: 'GET', key });
    expect([heard.status, heard.headers['content-length'], heard.body.length]).toEqual([200, '150000', 150_000]);
    expect(await fixture.counters('short')).toMatchObject({ acted: 1, upstream2xx: 1, held: 0 });
    expect(await nextIsServed(heard)).toBe(true);
  });

  test('truncate, rewrite, of a range tells a range that fits', async () => {
    const action = { kind: 'truncate', bytes: 10, length: 'rewrite', allow } as const;
    await fixture.rule({ id: 'short-range', match: { keyPrefix: key }, action, count: 1 });
    const heard = await fixture.call({ method: 'GET', key, headers: { range: 'bytes=100-199' } });
    expect([heard.status, heard.headers['content-range'], heard.body.length]).toEqual([
      206,
      'bytes 100-109/200000',
      10,
    ]);
  });

  test('truncate leaves what is short enough, and errors, alone, and does not count them', async () => {
    const action = { kind: 'truncate', bytes: 200_000, length: 'rewrite', allow } as const;
    await fixture.rule({ id: 'long', match: { keyPrefix: key }, action, count: 1 });
    expect((await fixture.call({ method: 'GET', key })).body.length).toBe(200_000);
    expect((await fixture.call({ method: 'GET', key: `${key}-none` })).status).toBe(404);
    expect(await fixture.counters('long')).toMatchObject({ matched: 2, acted: 0, upstream2xx: 1, upstream4xx: 1 });
  });

  test('corrupt: these bytes are others, each of them, and a second run changes them in the same way', async () => {
    const flipped: Buffer[] = [];
    for (const id of ['one', 'two']) {
      const action = { kind: 'corrupt', offsetBytes: 70_000, countBytes: 5000, allow } as const;
      if (id === 'two') await fixture.proxy.control.removeRules();
      await fixture.rule({ id: 'flip', match: { op: 'GetObject', keyPrefix: key }, action, count: 1, seed: 7 });
      const heard = await fixture.call({ method: 'GET', key });
      const same = Buffer.from(object);
      expect([heard.status, heard.body.length]).toEqual([200, 200_000]);
      expect(heard.body.subarray(0, 70_000).equals(same.subarray(0, 70_000))).toBe(true);
      expect(heard.body.subarray(75_000).equals(same.subarray(75_000))).toBe(true);
      expect(heard.body.subarray(70_000, 75_000).includes('x')).toBe(false);
      flipped.push(heard.body);
      expect(await fixture.counters('flip')).toMatchObject({ matched: 1, acted: 1, upstream2xx: 1 });
      expect(await nextIsServed(heard)).toBe(true);
    }
    expect(flipped[0]!.equals(flipped[1]!)).toBe(true);
  });
});
