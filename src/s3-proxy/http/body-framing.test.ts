// Where bodies end, however their bytes are cut on the way.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Framing, scannerOf } from './body-framing.ts';

/** Scans `bytes` in stretches that end at `cuts`; what was found, put together. */
const scan = (framing: Framing, bytes: Buffer, cuts: readonly number[]) => {
  const scanner = scannerOf(framing);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((one, other) => one - other);
  const content: Buffer[] = [];
  let from = 0;
  let isDone = false;
  for (const end of ends) {
    if (isDone || end === from) continue;
    const stretch = bytes.subarray(from, end);
    const found = scanner(stretch);
    content.push(...found.content.map(([start, stop]) => stretch.subarray(start, stop)));
    from += found.end;
    isDone = found.isDone;
  }
  return { end: from, isDone, content: Buffer.concat(content) };
};

const bytesArbitrary = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const cutsArbitrary = fc.array(fc.nat(500), { maxLength: 12 });

describe('a body', () => {
  test('of a length ends after so many bytes', () => {
    fc.assert(
      fc.property(bytesArbitrary, bytesArbitrary, cutsArbitrary, (body, next, cuts) => {
        fc.pre(body.length > 0);
        const found = scan({ kind: 'length', bytes: body.length }, Buffer.concat([body, next]), cuts);
        expect([found.end, found.isDone, found.content.equals(body)]).toEqual([body.length, true, true]);
      }),
    );
  });

  test('in chunks ends behind its trailers, and its content is that of its chunks', () => {
    const chunk = fc.tuple(
      bytesArbitrary.filter(({ length }) => length > 0),
      fc.constantFrom('', ';chunk-signature=0a', ' ; x="y"'),
      fc.boolean(),
    );
    const trailers = fc.array(fc.constantFrom('x-amz-checksum-crc32: AAAA==', 'X: 1'), { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 4 }),
        trailers,
        bytesArbitrary,
        cutsArbitrary,
        (chunks, lines, next, cuts) => {
          const written = chunks.map(([content, extension, isPadded]) => {
            const size = `${isPadded ? '00' : ''}${content.length.toString(16)}`;
            return Buffer.concat([Buffer.from(`${size}${extension}\r\n`), content, Buffer.from('\r\n')]);
          });
          const last = Buffer.from(['0', ...lines, '', ''].join('\r\n'));
          const body = Buffer.concat([...written, last]);
          const content = Buffer.concat(chunks.map(([each]) => each));
          const found = scan({ kind: 'chunked' }, Buffer.concat([body, next]), cuts);
          expect([found.end, found.isDone, found.content.equals(content)]).toEqual([body.length, true, true]);
        },
      ),
    );
  });

  test('in chunks tells where the last of them is announced', () => {
    const bytes = Buffer.from('1\r\nx\r\n0;e\r\nt: 1\r\n\r\n');
    expect(scannerOf({ kind: 'chunked' })(bytes).closingAt).toBe(bytes.indexOf('0;e\r\n') + 4);
    expect(scannerOf({ kind: 'chunked' })(bytes.subarray(0, 6)).closingAt).toBeUndefined();
  });

  test.each(['g\r\n', '\r\n', '-1\r\n', '1\nx', '1\r\nxy\r\n', '1\r\nx\n', '0\r\nt: 1\n', '1234567890123\r\n'])(
    'in chunks like %j is none',
    (text) => {
      expect(() => scan({ kind: 'chunked' }, Buffer.from(text), [])).toThrow();
    },
  );

  test('without end goes on until the connection ends', () => {
    expect(scan({ kind: 'until-close' }, Buffer.from('all'), [1])).toMatchObject({ end: 3, isDone: false });
  });
});
