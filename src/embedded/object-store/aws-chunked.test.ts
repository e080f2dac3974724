import { describe, expect, test } from 'vitest';
import { decodeAwsChunked } from './aws-chunked.ts';

const decode = (text: string): { body: string; trailers: object } => {
  const { body, trailers } = decodeAwsChunked(Buffer.from(text, 'latin1'));
  return { body: body.toString(), trailers };
};

describe('an aws-chunked body', () => {
  test('is its chunks without framing, with its trailers', () => {
    expect(decode('5\r\nhello\r\n6\r\n world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n')).toEqual({
      body: 'hello world',
      trailers: { 'x-amz-checksum-crc32': 'DUoRhQ==' },
    });
  });

  test('may have signed chunks and no trailer', () => {
    const signature = `;chunk-signature=${'a'.repeat(64)}`;
    expect(decode(`2${signature}\r\nok\r\n0${signature}\r\n\r\n`)).toEqual({ body: 'ok', trailers: {} });
  });

  test('may hold line breaks and be empty', () => {
    expect(decode('4\r\n\r\n\r\n\r\n0\r\n\r\n').body).toBe('\r\n\r\n');
    expect(decode('0\r\n\r\n').body).toBe('');
  });

  test.each([
    ['', 'no chunk at all'],
    ['5\r\nhel', 'a chunk cut off'],
    ['5\r\nhello\r\n', 'no last chunk'],
    ['3\r\nhello\r\n0\r\n\r\n', 'a chunk longer than it says'],
    ['9\r\nhello\r\n0\r\n\r\n', 'a chunk shorter than it says'],
    ['zz\r\nhello\r\n0\r\n\r\n', 'a size that is no number'],
    ['ffffffffff\r\nhello\r\n0\r\n\r\n', 'a size beyond every limit'],
    ['0\r\nno colon\r\n\r\n', 'a trailer without a name'],
  ])('%j is refused: %s', (text) => {
    expect(() => decode(text)).toThrow(expect.objectContaining({ s3Code: 'IncompleteBody' }));
  });
});
