// Whatever is HTTP passes, whatever its headers, its framing and the pieces in which it comes; whatever is not ends, and nothing breaks.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningS3Proxy, startS3Proxy } from '../../src/s3-proxy/s3-proxy.ts';
import { type BareSocket, BareStore, bareCaller } from '../support/bare-sockets.ts';

let store: BareStore;
let proxy: RunningS3Proxy;

beforeAll(async () => {
  store = await BareStore.start();
  const upstream = { protocol: 'http' as const, host: '127.0.0.1', port: store.port };
  proxy = await startS3Proxy({ listeners: [{ name: 'data', upstream }] });
});
afterAll(async () => {
  await proxy.stop();
  await store[Symbol.asyncDispose]();
});

const characters = (most: number, from: number, to: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: from, max: to }), { maxLength: most })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f)));

const header = fc
  .tuple(
    fc.constantFrom('x-amz-meta-a', 'X-Amz-Meta-A', 'x-AMZ-date', 'Host', 'ETag', 'x_y!', 'Accept-Encoding', 'Range'),
    fc.constantFrom(':', ': ', ':  \t', ': , '),
    characters(30, 0x21, 0xff),
    fc.constantFrom('', ' ', '\t '),
  )
  .map((parts) => `${parts.join('')}\r\n`);
const headers = fc.array(header, { maxLength: 8 }).map((lines) => lines.join(''));

const chunk = fc
  .tuple(characters(200, 0, 0xff), fc.constantFrom('', ';chunk-signature=00', ' ; a="b"'), fc.boolean())
  .filter(([content]) => content !== '')
  .map(([content, extension, isUpper]) => {
    const size = content.length.toString(16);
    return `${isUpper ? size.toUpperCase() : `0${size}`}${extension}\r\n${content}\r\n`;
  });
const chunked = fc.tuple(fc.array(chunk, { maxLength: 5 }), headers).map(([chunks, trailers]) => ({
  line: 'Transfer-Encoding: chunked\r\n',
  bytes: `${chunks.join('')}0\r\n${trailers}\r\n`,
}));
const counted = characters(2000, 0, 0xff).map((bytes) => ({ line: `content-length:${bytes.length}\r\n`, bytes }));

/** A message without its first line. */
const message = fc
  .tuple(headers, fc.oneof(chunked, counted), headers)
  .map(([before, body, after]) => `${before}${body.line}${after}\r\n${body.bytes}`);
const cuts = fc.array(fc.nat(3000), { maxLength: 6 });

const sendInPieces = async (socket: BareSocket, bytes: string, at: readonly number[]): Promise<void> => {
  let from = 0;
  for (const to of [...at.map((cut) => cut % bytes.length), bytes.length].sort((one, other) => one - other)) {
    if (to === from) continue;
    socket.send(bytes.slice(from, to));
    from = to;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

describe('any bytes', () => {
  test('that are HTTP arrive as they were, there and back, all by one connection', async () => {
    const caller = await bareCaller(proxy.listeners['data']!.port);
    let upstream: BareSocket | undefined;
    const before = store.connections;
    await fc.assert(
      fc.asyncProperty(message, cuts, message, cuts, async (asked, askedCuts, answered, answeredCuts) => {
        const request = `PUT /bucket/k%20?x=%2F HTTP/1.1\r\n${asked}`;
        const response = `HTTP/1.1 299 Any thing\r\n${answered}`;
        caller.received = '';
        const sent = sendInPieces(caller, request, askedCuts);
        upstream ??= await store.next();
        await upstream.until(request);
        expect(upstream.received).toBe(request);
        upstream.received = '';
        await Promise.all([sent, sendInPieces(upstream, response, answeredCuts)]);
        await caller.until(response);
        expect(caller.received).toBe(response);
      }),
      { numRuns: 150 },
    );
    expect(store.connections - before).toBe(1);
    caller.socket.destroy();
  });

  test('that are none end the connection, and the next one is served', async () => {
    const line = fc.oneof(
      fc.constantFrom('GET / HTTP/1.1', 'X: 1', '', 'Content-Length: 5', ' x', 'Transfer-Encoding: x'),
      characters(20, 0, 0xff),
    );
    const garbage = fc
      .tuple(fc.array(line, { maxLength: 5 }), fc.constantFrom('\r\n', '\n', '\r'))
      .map(([lines, end]) => lines.join(end));
    await fc.assert(
      fc.asyncProperty(garbage, cuts, async (bytes, at) => {
        const caller = await bareCaller(proxy.listeners['data']!.port);
        if (bytes !== '') await sendInPieces(caller, `\0${bytes}\r\n\r\n`, at);
        caller.socket.end();
        await caller.untilEnded();
        caller.socket.destroy();
        expect(caller.received).toMatch(bytes === '' ? /^$/u : /^HTTP\/1\.1 (?:400|431|501|505) /u);
      }),
      { numRuns: 60 },
    );
    const { malformed, operations } = (await proxy.control.counters()).listeners['data']!;
    expect([malformed > 30, Object.values(operations).every(({ inFlight }) => inFlight === 0)]).toEqual([true, true]);
  });
});
