import { describe, expect, test } from 'vitest';
import { parseCompleteRequest } from './complete-request.ts';

const parse = (document: string) => parseCompleteRequest(Buffer.from(document));
const list = (...parts: readonly string[]): string =>
  `<CompleteMultipartUpload xmlns="x">${parts.map((part) => `<Part>${part}</Part>`).join('')}</CompleteMultipartUpload>`;
const part = (number: number | string, etag = 'e'): string => `<PartNumber>${number}</PartNumber><ETag>${etag}</ETag>`;

describe('a list of parts', () => {
  test('is read in whatever order its fields come, with quoted ETags, checksums and empty elements', () => {
    const first =
      '\n<ETag>&quot;a&quot;</ETag><PartNumber>1</PartNumber><ChecksumCRC32>NhCmhg==</ChecksumCRC32><ChecksumSHA1/>\n';
    expect(parse(list(first, part(7, '"b"')))).toEqual([
      { number: 1, etag: 'a', checksums: { 'x-amz-checksum-crc32': 'NhCmhg==' } },
      { number: 7, etag: 'b', checksums: {} },
    ]);
  });

  test.each([
    ['no list', 'MalformedXML', ''],
    ['no part', 'MalformedXML', list()],
    ['a part without an ETag', 'MalformedXML', list('<PartNumber>1</PartNumber>')],
    ['a number that is none', 'MalformedXML', list(part('one'))],
    ['numbers that fall', 'InvalidPartOrder', list(part(2), part(1))],
    ['a number twice', 'InvalidPartOrder', list(part(2), part(2))],
    ['the number 0', 'InvalidPartOrder', list(part(0))],
  ])('with %s is refused as %s', (_, s3Code, document) => {
    expect(() => parse(document)).toThrow(expect.objectContaining({ s3Code }));
  });
});
