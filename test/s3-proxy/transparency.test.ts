// What passes the proxy while no rule acts: compared byte by byte, with a bare socket on either side.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningS3Proxy, startS3Proxy } from '../../src/s3-proxy/s3-proxy.ts';
import { type BareSocket, BareStore, bareCaller } from '../support/bare-sockets.ts';

let store: BareStore;
let proxy: RunningS3Proxy;
let caller: BareSocket;

beforeAll(async () => {
  store = await BareStore.start();
  const upstream = { protocol: 'http' as const, host: '127.0.0.1', port: store.port };
  proxy = await startS3Proxy({ listeners: [{ name: 'data', upstream }] });
});
afterAll(async () => {
  await proxy.stop();
  await store[Symbol.asyncDispose]();
});
beforeEach(async () => {
  caller = await bareCaller(proxy.listeners['data']!.port);
});
afterEach(() => caller.socket.destroy());

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join('');
const OK = lines('HTTP/1.1 200 OK', 'Content-Length: 0', '');

/** What the store receives of `request`, up to `last`. */
const arrived = async (request: string, last: string): Promise<BareSocket> => {
  caller.send(request);
  const upstream = await store.next();
  await upstream.until(last);
  return upstream;
};

/** Sends a request and has `answer` come back; what the caller received, up to `last`. */
const answered = async (request: string, answer: string, last: string): Promise<string> => {
  const upstream = await arrived(request, '\r\n\r\n');
  upstream.send(answer);
  await caller.until(last);
  return caller.received;
};

describe('a request', () => {
  test('keeps the order, the case and the blanks of its headers, doubles too', async () => {
    const request = lines(
      'GET /bucket/a%2Fb//..?x-id=GetObject&empty=&%7e HTTP/1.1',
      'X-Amz-Date:20260101T000000Z',
      'hOST:   s3.example.com:443',
      'x-amz-meta-one: 1',
      'Accept: */*',
      'X-Amz-Meta-One: 2 \t',
      'x-amz-meta-latin: caf\xe9 \x80',
      'Authorization: AWS4-HMAC-SHA256 Credential=k/20260101/r/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
      'x-empty:',
      '',
    );
    expect((await arrived(request, '\r\n\r\n')).received).toBe(request);
  });

  test('loses what is about one connection, and what its Connection header names', async () => {
    const request = lines(
      'GET /bucket/key HTTP/1.1',
      'Host: h',
      'Connection: keep-alive, X-Mine, Host',
      'Keep-Alive: timeout=5',
      'X-Mine: 1',
      'TE: trailers',
      'Proxy-Authorization: Basic x',
      'Upgrade: h2c',
      'X-Kept: 1',
      '',
    );
    const { received } = await arrived(request, '\r\n\r\n');
    expect(received).toBe(lines('GET /bucket/key HTTP/1.1', 'Host: h', 'X-Kept: 1', ''));
  });

  test('keeps even that where its signature covers it', async () => {
    const request = lines(
      'GET /bucket/key HTTP/1.1',
      'Host: h',
      'Connection: keep-alive',
      'TE: trailers',
      'Authorization: AWS4-HMAC-SHA256 Credential=k, SignedHeaders=connection;host;te, Signature=0',
      '',
    );
    expect((await arrived(request, '\r\n\r\n')).received).toBe(request);
  });

  test('in absolute form stays in absolute form', async () => {
    const request = lines('GET http://s3.example.com/bucket/key?versionId=1 HTTP/1.1', 'Host: s3.example.com', '');
    expect((await arrived(request, '\r\n\r\n')).received).toBe(request);
    expect((await proxy.control.counters()).listeners['data']?.operations.GetObject?.started).toBeGreaterThan(0);
  });

  test('with a length keeps it, and its body passes as it comes', async () => {
    const head = lines('PUT /bucket/key HTTP/1.1', 'Host: h', 'content-LENGTH: 12', '');
    const upstream = await arrived(`${head}hello`, 'hello');
    caller.send('\0\r\n\r\n\xff!');
    await upstream.until('!');
    expect(upstream.received).toBe(`${head}hello\0\r\n\r\n\xff!`);
  });

  test('in chunks keeps sizes as they are written, extensions and trailers', async () => {
    const head = lines(
      'PUT /bucket/key HTTP/1.1',
      'Host: h',
      'Transfer-Encoding: chunked',
      'Trailer: x-amz-checksum-crc32',
      '',
    );
    const body =
      '005;chunk-signature=ab\r\nhello\r\n1\r\n!\r\nA ; x="y"\r\n0123456789\r\n00\r\nx-amz-checksum-crc32: AAAA==\r\nX-Two:2\r\n\r\n';
    const upstream = await arrived(head, '\r\n\r\n');
    for (const character of body) caller.send(character);
    await upstream.until('X-Two:2\r\n\r\n');
    expect(upstream.received).toBe(head + body);
  });

  test('that follows another on the connection takes the same connection to the store', async () => {
    const before = store.connections;
    const first = lines('PUT /bucket/1 HTTP/1.1', 'Host: h', 'Content-Length: 3', '');
    const second = lines('DELETE /bucket/2 HTTP/1.1', 'Host: h', '');
    caller.send(`${first}abc${second}`);
    const upstream = await store.next();
    await upstream.until('abc');
    expect(upstream.received).toBe(`${first}abc`);
    upstream.send(OK);
    await upstream.until('DELETE');
    upstream.send(lines('HTTP/1.1 204 No Content', ''));
    await caller.until('204');
    expect([upstream.received, caller.received, store.connections - before]).toEqual([
      `${first}abc${second}`,
      OK + lines('HTTP/1.1 204 No Content', ''),
      1,
    ]);
  });
});

describe('an answer', () => {
  test('keeps its status line, its headers and its body', async () => {
    const answer = `${lines('HTTP/1.1 206 partially  here', 'x-amz-id-2:  Q ', 'Set-Cookie: a', 'set-cookie: b', 'Content-Length: 5', '')}01\r\n4`;
    expect(await answered(lines('GET /b/k HTTP/1.1', 'Host: h', ''), answer, '\r\n4')).toBe(answer);
  });

  test('in chunks keeps them, and its trailers', async () => {
    const head = lines('HTTP/1.1 200 OK', 'Transfer-Encoding: Chunked', 'Trailer: x-t', '');
    const answer = `${head}3;e=1\r\nabc\r\n0000\r\nx-t: 1\r\n\r\n`;
    expect(await answered(lines('GET /b/k HTTP/1.1', 'Host: h', ''), answer, 'x-t: 1\r\n\r\n')).toBe(answer);
  });

  test.each([
    ['GET', lines('HTTP/1.1 304 Not Modified', 'Content-Length: 1000', '')],
    ['DELETE', lines('HTTP/1.1 204 No Content', '')],
    ['HEAD', lines('HTTP/1.1 200 OK', 'Content-Length: 1000', 'ETag: "e"', '')],
    ['HEAD', lines('HTTP/1.1 404 Not Found', 'Transfer-Encoding: chunked', '')],
  ])('to %s without content is followed by the next one: %j', async (method, answer) => {
    const upstream = await arrived(lines(`${method} /b/k HTTP/1.1`, 'Host: h', ''), '\r\n\r\n');
    upstream.send(answer);
    await caller.until('\r\n\r\n');
    caller.send(lines('GET /b/next HTTP/1.1', 'Host: h', ''));
    await upstream.until('next');
    upstream.send(lines('HTTP/1.1 200 Next', 'Content-Length: 0', ''));
    await caller.until('Next\r\nContent-Length: 0\r\n\r\n');
    expect(caller.received).toBe(answer + lines('HTTP/1.1 200 Next', 'Content-Length: 0', ''));
  });

  test('of 1xx is passed on, as often as it comes', async () => {
    const early = lines('HTTP/1.1 103 Early Hints', 'Link: </x>', '') + lines('HTTP/1.1 102 Processing', '');
    expect(await answered(lines('GET /b/k HTTP/1.1', 'Host: h', ''), early + OK, '200 OK')).toBe(early + OK);
  });

  test('without a length ends with the connection, and the caller is told so', async () => {
    const upstream = await arrived(lines('GET /b/k HTTP/1.1', 'Host: h', ''), '\r\n\r\n');
    upstream.send(`${lines('HTTP/1.1 200 OK', 'Connection: close', 'x: 1', '')}until the end`);
    upstream.socket.end();
    expect(await caller.untilEnded()).toBe('close');
    expect(caller.received).toBe(`${lines('HTTP/1.1 200 OK', 'x: 1', 'Connection: close', '')}until the end`);
  });

  test('that breaks off breaks off for the caller, in the same way', async () => {
    for (const leave of ['close', 'reset'] as const) {
      const other = await bareCaller(proxy.listeners['data']!.port);
      other.send(lines('GET /b/k HTTP/1.1', 'Host: h', ''));
      const upstream = await store.next();
      await upstream.until('\r\n\r\n');
      upstream.send(`${lines('HTTP/1.1 200 OK', 'Content-Length: 100', '')}half`);
      await other.until('half');
      if (leave === 'close') upstream.socket.end();
      else upstream.socket.resetAndDestroy();
      expect(await other.untilEnded()).toBe(leave);
    }
  });
});

describe('Expect: 100-continue', () => {
  const HEAD = lines('PUT /b/k HTTP/1.1', 'Host: h', 'Expect: 100-continue', 'Content-Length: 4', '');

  test('is the store’s to answer, and the body follows its answer', async () => {
    const upstream = await arrived(HEAD, '\r\n\r\n');
    expect([upstream.received, caller.received]).toEqual([HEAD, '']);
    upstream.send(lines('HTTP/1.1 100 Continue', ''));
    await caller.until('100 Continue\r\n\r\n');
    caller.send('body');
    await upstream.until('body');
    upstream.send(OK);
    await caller.until('200 OK');
    expect([upstream.received, caller.received]).toEqual([`${HEAD}body`, lines('HTTP/1.1 100 Continue', '') + OK]);
  });

  test('that is answered with an error ends the connection: nobody knows whether the body comes', async () => {
    const refusal = lines('HTTP/1.1 403 Forbidden', 'Content-Length: 0', '');
    const upstream = await arrived(HEAD, '\r\n\r\n');
    upstream.send(refusal);
    expect(await caller.untilEnded()).toBe('close');
    expect(caller.received).toBe(lines('HTTP/1.1 403 Forbidden', 'Content-Length: 0', 'Connection: close', ''));
    await upstream.untilEnded();
  });

  test('of a caller that does not wait passes like any other', async () => {
    const upstream = await arrived(`${HEAD}body`, 'body');
    upstream.send(OK);
    await caller.until('200 OK');
    expect([upstream.received, caller.received]).toEqual([`${HEAD}body`, OK]);
  });
});

describe('an early answer', () => {
  test('is passed on while the body still comes, and the connection goes on after it', async () => {
    const upstream = await arrived(`${lines('PUT /b/k HTTP/1.1', 'Host: h', 'Content-Length: 8', '')}half`, 'half');
    upstream.send(OK);
    await caller.until('200 OK');
    caller.send(`rest${lines('GET /b/2 HTTP/1.1', 'Host: h', '')}`);
    await upstream.until('GET /b/2');
    expect(upstream.received).toContain('halfrestGET');
  });

  test('after which the store closes reaches the caller whole', async () => {
    const upstream = await arrived(
      `${lines('PUT /b/k HTTP/1.1', 'Host: h', 'Content-Length: 9000000', '')}half`,
      'half',
    );
    upstream.send(`${lines('HTTP/1.1 400 Bad Request', 'Connection: close', 'Content-Length: 3', '')}bad`);
    upstream.socket.end();
    await caller.until('bad');
    caller.send('x'.repeat(1_000_000));
    expect(await caller.untilEnded()).toBe('close');
  });
});

describe('an end', () => {
  test('of an idle connection at the store is one at the caller, and the other way round', async () => {
    const upstream = await arrived(lines('GET /b/k HTTP/1.1', 'Host: h', ''), '\r\n\r\n');
    upstream.send(OK);
    await caller.until('200 OK');
    upstream.socket.end();
    expect(await caller.untilEnded()).toBe('close');

    const other = await bareCaller(proxy.listeners['data']!.port);
    other.send(lines('GET /b/k HTTP/1.1', 'Host: h', ''));
    const second = await store.next();
    second.send(OK);
    await other.until('200 OK');
    other.socket.end();
    expect(await second.untilEnded()).toBe('close');
  });

  test('of a caller in the middle of its body is a broken body at the store', async () => {
    const upstream = await arrived(`${lines('PUT /b/k HTTP/1.1', 'Host: h', 'Content-Length: 8', '')}half`, 'half');
    const before = (await proxy.control.counters()).listeners['data']!.callerAborted;
    caller.socket.destroy();
    await upstream.untilEnded();
    expect((await proxy.control.counters()).listeners['data']!.callerAborted).toBe(before + 1);
  });

  test('of a store that says nothing more is one for the caller, and counted', async () => {
    const before = (await proxy.control.counters()).listeners['data']!.upstreamFailures;
    const upstream = await arrived(lines('GET /b/k HTTP/1.1', 'Host: h', ''), '\r\n\r\n');
    upstream.socket.resetAndDestroy();
    expect(await caller.untilEnded()).toBe('reset');
    expect((await proxy.control.counters()).listeners['data']!.upstreamFailures).toBe(before + 1);
  });
});

describe('what is no HTTP that is passed on', () => {
  test.each([
    ['lines that end otherwise', 'GET / HTTP/1.1\nHost: h\n\n', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: h\r\n more\r\n\r\n', 400],
    ['a blank before a colon', 'GET / HTTP/1.1\r\nHost : h\r\n\r\n', 400],
    ['two lengths', 'PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a length and chunks', 'PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['a length that is none', 'PUT /b/k HTTP/1.1\r\nContent-Length: 1x\r\n\r\n', 400],
    ['another coding', 'PUT /b/k HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 501],
    ['a tunnel', 'CONNECT h:443 HTTP/1.1\r\n\r\n', 501],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\n', 505],
    ['an endless head', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`, 431],
  ])('is refused before the store hears of it: %s', async (_, request, status) => {
    const before = store.connections;
    caller.send(request);
    await caller.until(`HTTP/1.1 ${status}`);
    expect(await caller.untilEnded()).toBe('close');
    expect(store.connections).toBe(before);
  });

  test.each([
    ['a size that is none', '5x\r\nhello\r\n'],
    ['a chunk longer than its size', '3\r\nhello\r\n'],
    ['an endless size line', `5;${'x'.repeat(20_000)}`],
  ])('within a body breaks the upload off: %s', async (_, body) => {
    const upstream = await arrived(lines('PUT /b/k HTTP/1.1', 'Host: h', 'Transfer-Encoding: chunked', ''), '\r\n\r\n');
    caller.send(body);
    await caller.until('HTTP/1.1 400');
    await upstream.untilEnded();
    expect(await caller.untilEnded()).toBe('close');
  });
});
