// What clients that do not keep to the rules get, and that they do not get more than that.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningStore, startStore } from './running-store.ts';
import { parseStoreConfig } from './store-config.ts';

const directory = mkdtempSync(join(tmpdir(), 'ackproof-server-'));
let store: RunningStore;
/** Gives its clients little time; a machine under load may need more for an honest request. */
let impatient: RunningStore;
let base: string;

beforeAll(async () => {
  const common = { listeners: [{ name: 'data' }], buckets: ['records'] };
  store = await startStore(parseStoreConfig({ ...common, directory: join(directory, 'patient') }));
  const timeouts = { headersTimeoutMs: 300, requestTimeoutMs: 600 };
  impatient = await startStore(parseStoreConfig({ ...common, ...timeouts, directory: join(directory, 'impatient') }));
  base = `http://127.0.0.1:${store.listeners['data']!}`;
});

afterAll(async () => {
  await Promise.all([store.stop(), impatient.stop()]);
  rmSync(directory, { recursive: true });
});

/** Sends raw text and resolves, once the store has closed the connection, with what it said. */
const talk = async (text: string, to: RunningStore = store): Promise<string> =>
  await new Promise((resolve) => {
    let said = '';
    const socket = connect(to.listeners['data']!, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (said += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(said));
  });

const put = async (key: string, body: string, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await fetch(`${base}/records/${key}`, { method: 'PUT', body, headers });
  return `${answer.status} ${/<Code>(.*)<\/Code>/.exec(await answer.text())?.[1] ?? ''}`.trim();
};

describe('a client that stops talking', () => {
  test('in its headers is cut off with 408', async () => {
    expect(await talk('GET /records/x HTTP/1.1\r\nHost: x\r\nX-Slow: ', impatient)).toContain('408 Request Timeout');
  });

  test('in its body is cut off and has stored nothing', async () => {
    await talk('PUT /records/half HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this', impatient);
    expect((await fetch(`http://127.0.0.1:${impatient.listeners['data']!}/records/half`)).status).toBe(404);
    expect(readdirSync(join(directory, 'impatient', 'incoming'))).toEqual([]);
  });
});

/** The log's only line about a key. */
const logged = async (key: string): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${store.adminPort}/_ackproof/requests`);
  const { requests } = (await answer.json()) as { requests: { key: string }[] };
  const found = requests.filter((request) => request.key === key);
  return found.length === 1 ? found[0] : found;
};

describe('a client that goes away', () => {
  test('before its body is whole has stored nothing, and the log says that it was not answered', async () => {
    const socket = connect(store.listeners['data']!, '127.0.0.1');
    // Only once it was sent: on a busy machine connecting alone may take longer than any pause.
    socket.write('PUT /records/left HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this', () =>
      socket.destroy(),
    );
    await expect.poll(async () => await logged('left')).toMatchObject({ aborted: true, requestBytes: 9, status: 400 });
    expect((await fetch(`${base}/records/left`)).status).toBe(404);
  });

  test('after its body was whole has stored it all the same', async () => {
    const socket = connect(store.listeners['data']!, '127.0.0.1');
    socket.end('PUT /records/sent HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody');
    socket.once('end', () => socket.destroy()).resume();
    await expect.poll(async () => await (await fetch(`${base}/records/sent`)).text()).toBe('body');
  });

  test('in the middle of an answer was not answered, says the log', async () => {
    expect(await put('large', 'x'.repeat(30_000_000))).toBe('200');
    for (const [parameter, leave] of [
      ['1', 'destroy'],
      ['2', 'resetAndDestroy'],
    ] as const) {
      const socket = connect(store.listeners['data']!, '127.0.0.1').pause();
      socket.write(`GET /records/large?x-id=${parameter} HTTP/1.1\r\nHost: x\r\n\r\n`);
      setTimeout(() => socket[leave](), 100);
    }
    const gets = async (): Promise<unknown> => ((await logged('large')) as { method: string }[]).slice(1);
    const unanswered = { method: 'GET', status: 200, aborted: true, responseBytes: 0 };
    await expect.poll(gets).toMatchObject([unanswered, unanswered]);
  });
});

describe('a body', () => {
  test('that does not match a checksum is refused and not stored', async () => {
    expect(await put('sum', 'body', { 'x-amz-checksum-crc32': 'AAAAAA==' })).toBe('400 BadDigest');
    expect(await put('sum', 'body', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' })).toBe('400 BadDigest');
    expect(await put('sum', 'body', { 'x-amz-content-sha256': '0'.repeat(64) })).toBe('400 XAmzContentSHA256Mismatch');
    expect((await fetch(`${base}/records/sum`)).status).toBe(404);
  });

  test('that matches its checksums is stored', async () => {
    expect(await put('sum', 'hello', { 'x-amz-checksum-crc32': 'NhCmhg==', 'x-amz-checksum-crc32c': 'mnG7TA==' })).toBe(
      '200',
    );
    expect(await put('sum', 'hello', { 'x-amz-checksum-sha1': 'qvTGHdzF6KLavt4PO0gs2a6pQ00=' })).toBe('200');
  });

  test('in aws-chunked coding with a wrong trailer or length is refused', async () => {
    const chunked = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'content-encoding': 'aws-chunked' };
    const body = '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n';
    expect(await put('chunked', body, chunked)).toBe('400 BadDigest');
    const right = body.replace('AAAAAA==', 'NhCmhg==');
    expect(await put('chunked', right, { ...chunked, 'x-amz-decoded-content-length': '6' })).toBe('400 IncompleteBody');
    expect(await put('chunked', right, { ...chunked, 'x-amz-decoded-content-length': '5' })).toBe('200');
    expect(await (await fetch(`${base}/records/chunked`)).text()).toBe('hello');
  });
});

describe('a request', () => {
  test('for something this subset does not have is told so', async () => {
    for (const [method, path] of [
      ['POST', '/records/key?restore'],
      ['GET', '/records/key?acl'],
      ['GET', '/records/key?versionId=1'],
      ['GET', '/records'],
      ['GET', '/records?list-type=1'],
      ['PUT', '/records?versioning'],
    ] as const) {
      const answer = await fetch(base + path, { method });
      expect([answer.status, await answer.text()]).toEqual([
        501,
        expect.stringContaining('<Code>NotImplemented</Code>'),
      ]);
    }
    expect(await put('copy', '', { 'x-amz-copy-source': '/records/sum?versionId=1' })).toBe('501 NotImplemented');
  });

  test('with a path that is not UTF-8 is refused', async () => {
    expect((await fetch(`${base}/records/%ff`)).status).toBe(400);
  });

  test('with a path that climbs stays a key', async () => {
    const said = await talk('GET /records/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(said).toContain('<Code>NoSuchKey</Code>');
  });

  test('with markup in its path gets a document that escapes it', async () => {
    const said = await talk('GET /records/<b>&"x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(said).toContain('<Resource>/records/&lt;b&gt;&amp;&quot;x</Resource>');
  });
});
