// What actions do to bodies in chunks, and to answers whose end is the connection's, told by a bare store.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RuleCounters } from '../../src/s3-proxy/counters.ts';
import type { RuleSpec } from '../../src/s3-proxy/rule-schema.ts';
import { type RunningS3Proxy, startS3Proxy } from '../../src/s3-proxy/s3-proxy.ts';
import { type BareSocket, BareStore, bareCaller } from '../support/bare-sockets.ts';

let store: BareStore;
let proxy: RunningS3Proxy;
let caller: BareSocket;

beforeAll(async () => {
  store = await BareStore.start();
  const upstream = { protocol: 'http' as const, host: '127.0.0.1', port: store.port };
  proxy = await startS3Proxy({ listeners: [{ name: 'data', upstream }], limits: { keptBytes: 64 } });
});
afterAll(async () => {
  await proxy.stop();
  await store[Symbol.asyncDispose]();
});
beforeEach(async () => {
  caller = await bareCaller(proxy.listeners['data']!.port);
});
afterEach(async () => {
  caller.socket.destroy();
  await proxy.control.drain(0);
});

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join('');
const GET = lines('GET /b/k HTTP/1.1', 'Host: h', '');
const CHUNKED = lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '');
const UPLOAD = lines('PUT /b/k HTTP/1.1', 'Host: h', 'Transfer-Encoding: chunked', '');
const BODY = '6;sig=1\r\nabcdef\r\n6;sig=2\r\nghijkl\r\n0;sig=3\r\nt: 1\r\n\r\n';
const allow = 'corrupt';

const rule = async (action: RuleSpec['action']): Promise<void> =>
  await proxy.control.addRule({ id: 'one', ttlMs: 60_000, action });
const counters = async (): Promise<RuleCounters> => (await proxy.control.counters()).rules['one']!;

/** Asks for an object and has `answer` come back, in two pieces. */
const get = async (answer: string, cut = answer.length - 20): Promise<BareSocket> => {
  caller.send(GET);
  const upstream = await store.next();
  await upstream.until('\r\n\r\n');
  upstream.send(answer.slice(0, cut));
  await new Promise((resolve) => setTimeout(resolve, 5));
  upstream.send(answer.slice(cut));
  return upstream;
};

describe('truncate', () => {
  test('keep: chunks as they are on the wire, up to the last byte', async () => {
    await rule({ kind: 'truncate', bytes: 8, length: 'keep', allow });
    await get(CHUNKED + BODY);
    expect(await caller.untilEnded()).toBe('close');
    const kept = '6;sig=1\r\nabcdef\r\n6;sig=2\r\ngh';
    expect(caller.received).toBe(`${CHUNKED.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}${kept}`);
    expect(await counters()).toMatchObject({ acted: 1, upstream2xx: 1 });
  });

  test.each([0, 6, 8])('rewrite: %i bytes in chunks, and their end', async (bytes) => {
    await rule({ kind: 'truncate', bytes, length: 'rewrite', allow });
    await get(CHUNKED + BODY);
    await caller.until('0\r\n\r\n');
    const content = caller.received.slice(CHUNKED.length).replaceAll(/[0-9a-f]+\r\n([a-z]*)\r\n/gu, '$1');
    expect(content).toBe('abcdefghijkl'.slice(0, bytes));
    expect(await counters()).toMatchObject({ acted: 1 });
  });

  test('rewrite: chunks that are few enough have not been cut', async () => {
    await rule({ kind: 'truncate', bytes: 12, length: 'rewrite', allow });
    await get(CHUNKED + BODY);
    await caller.until('0\r\n\r\n');
    expect(await counters()).toMatchObject({ matched: 1, acted: 0 });
  });

  test('rewrite: an answer that ends with its connection ends earlier', async () => {
    await rule({ kind: 'truncate', bytes: 3, length: 'rewrite', allow });
    const upstream = await get(`${lines('HTTP/1.1 200 OK', '')}abcdefghijklmnopqrstuvwxyz`);
    upstream.socket.end();
    expect([await caller.untilEnded(), caller.received.slice(-7)]).toEqual(['close', '\r\n\r\nabc']);
  });
});

describe('corrupt', () => {
  test('changes content and never framing', async () => {
    await rule({ kind: 'corrupt', offsetBytes: 5, countBytes: 2, allow });
    await get(CHUNKED + BODY);
    await caller.until('t: 1\r\n\r\n');
    const body = caller.received.slice(CHUNKED.length);
    const changed = body.split('').flatMap((character, index) => (character === BODY[index] ? [] : [index]));
    expect([body.length, changed]).toEqual([BODY.length, [BODY.indexOf('f'), BODY.indexOf('gh')]]);
    expect(await counters()).toMatchObject({ acted: 1 });
  });

  test('beyond the end of an answer has changed nothing', async () => {
    await rule({ kind: 'corrupt', offsetBytes: 12, countBytes: 2, allow });
    await get(CHUNKED + BODY);
    await caller.until('t: 1\r\n\r\n');
    expect(caller.received).toBe(CHUNKED + BODY);
    expect(await counters()).toMatchObject({ matched: 1, acted: 0 });
  });
});

describe('abort', () => {
  test.each([1, 12, 20, 10_000])('after %i bytes of chunks never sends their end', async (afterBytes) => {
    await rule({ kind: 'abort', afterBytes, how: 'close' });
    caller.send(UPLOAD);
    const upstream = await store.next();
    await upstream.until('\r\n\r\n');
    for (const character of BODY) caller.send(character);
    expect(await caller.untilEnded()).toBe('close');
    await upstream.untilEnded();
    const sent = upstream.received.slice(UPLOAD.length);
    expect(BODY.slice(0, Math.min(afterBytes, BODY.indexOf('0;sig=3') + 8)).startsWith(sent)).toBe(true);
    expect(await counters()).toMatchObject({ acted: 1, upstream2xx: 0, responseBytes: 0 });
  });

  test.each(['reset', 'close'] as const)('by %s is seen as that', async (how) => {
    await rule({ kind: 'abort', afterBytes: 0, how });
    caller.send(GET);
    expect([await caller.untilEnded(), caller.received]).toEqual([how, '']);
  });
});

describe('forward-then-drop', () => {
  test.each(['reset', 'close'] as const)('by %s is seen as that, with no byte of the answer', async (how) => {
    await rule({ kind: 'forward-then-drop', how });
    await get(`${lines('HTTP/1.1 200 OK', 'Content-Length: 26', '')}abcdefghijklmnopqrstuvwxyz`);
    expect([await caller.untilEnded(), caller.received]).toEqual([how, '']);
    expect(await counters()).toMatchObject({ acted: 1, upstream2xx: 1, responseBytes: 0 });
  });
});

describe('late-forward', () => {
  test('sends the very bytes that came, chunks and trailers too', async () => {
    await rule({ kind: 'late-forward', afterMs: 20, reply: 'status' });
    caller.send(UPLOAD + BODY);
    await caller.until('500 Internal Server Error');
    const upstream = await store.next();
    await upstream.until('t: 1\r\n\r\n');
    expect(upstream.received).toBe(UPLOAD + BODY);
    upstream.send(lines('HTTP/1.1 200 OK', 'Content-Length: 0', ''));
    await expect.poll(counters).toMatchObject({ held: 0, lateForwards: [{ bucket: 'b', key: 'k', status: 200 }] });
  });

  test('asks for a body that waits for 100-continue, because the store is not asked yet', async () => {
    await rule({ kind: 'late-forward', afterMs: 0, reply: 'status', status: 503 });
    const head = lines('PUT /b/k HTTP/1.1', 'Host: h', 'Expect: 100-continue', 'Content-Length: 4', '');
    caller.send(head);
    await caller.until('HTTP/1.1 100 Continue\r\n\r\n');
    caller.send('body');
    await caller.until('503 Service Unavailable');
    const upstream = await store.next();
    await upstream.until('body');
    expect(upstream.received).toBe(`${head}body`);
    upstream.send(lines('HTTP/1.1 100 Continue', '') + lines('HTTP/1.1 200 OK', 'Content-Length: 0', ''));
    await expect.poll(counters).toMatchObject({ held: 0, upstream2xx: 1 });
  });

  test('that the store does not answer is written down as that', async () => {
    await rule({ kind: 'late-forward', afterMs: 1, reply: 'drop' });
    caller.send(UPLOAD + BODY);
    const upstream = await store.next();
    await upstream.until('t: 1\r\n\r\n');
    upstream.socket.destroy();
    await expect.poll(counters).toMatchObject({ held: 0, lateForwards: [{ status: null }] });
  });

  test('lets pass what is too large to be kept, and breaks off what turns out to be', async () => {
    await rule({ kind: 'late-forward', afterMs: 1, reply: 'status' });
    const large = `${lines('PUT /b/k HTTP/1.1', 'Host: h', 'Content-Length: 65', '')}${'x'.repeat(65)}`;
    caller.send(large);
    const upstream = await store.next();
    await upstream.until('xxx');
    upstream.send(lines('HTTP/1.1 200 OK', 'Content-Length: 0', ''));
    await caller.until('200 OK');
    expect(await counters()).toMatchObject({ acted: 0, tooLarge: 1, held: 0 });
    caller.send(`${UPLOAD}41\r\n${'x'.repeat(65)}\r\n`);
    expect(await caller.untilEnded()).toBe('reset');
    expect(await counters()).toMatchObject({ acted: 0, tooLarge: 2, held: 0 });
  });
});

describe('hang', () => {
  test('of a body that cannot be read ends like any other request of that kind', async () => {
    await rule({ kind: 'hang' });
    caller.send(`${UPLOAD}no size\r\n`);
    await caller.until('HTTP/1.1 400');
    expect(await caller.untilEnded()).toBe('close');
    await expect.poll(counters).toMatchObject({ held: 0, forwarded: 0 });
  });
});

describe('status', () => {
  test('is one answer, also where the body that follows it cannot be read', async () => {
    await rule({ kind: 'status', status: 503 });
    caller.send(UPLOAD);
    await caller.until('</Error>');
    const answered = caller.received;
    caller.send('no size\r\n');
    expect([await caller.untilEnded(), caller.received]).toEqual(['close', answered]);
    expect(await counters()).toMatchObject({ acted: 1, held: 0 });
  });
});

describe('a rule', () => {
  test('holds many requests at a time, and lets all of them go', async () => {
    const warned: string[] = [];
    const warn = ({ name }: Error): unknown => warned.push(name);
    process.on('warning', warn);
    await rule({ kind: 'delay', beforeMs: 60_000 });
    const all = await Promise.all(
      Array.from({ length: 30 }, async () => await bareCaller(proxy.listeners['data']!.port)),
    );
    for (const each of all) each.send(GET);
    await expect.poll(counters).toMatchObject({ held: 30, forwarded: 0 });
    await proxy.control.removeRules();
    for (let index = 0; index < all.length; index++)
      (await store.next()).send(lines('HTTP/1.1 200 OK', 'Content-Length: 0', ''));
    for (const each of all) await each.until('200 OK');
    await expect.poll(counters).toMatchObject({ held: 0, forwarded: 30, upstream2xx: 30 });
    for (const { socket } of all) socket.destroy();
    process.off('warning', warn);
    expect(warned).toEqual([]);
  });
});

describe('a drain', () => {
  test('breaks off what the store never answers', async () => {
    await rule({ kind: 'forward-then-drop', how: 'close' });
    caller.send(GET);
    const upstream = await store.next();
    await upstream.until('\r\n\r\n');
    expect(await proxy.control.drain(20)).toEqual({ endedRules: 1, letGo: 0, cut: 1 });
    expect([await caller.untilEnded(), await upstream.untilEnded()]).toEqual(['reset', 'reset']);
    expect((await proxy.control.counters()).held).toBe(0);
  });
});
