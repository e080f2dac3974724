import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { damaged } from '../../test/wire-fuzz/mutations.ts';
import { randomStream } from '../random.ts';
import { sealBatch } from './batch-header.ts';
import type { Codec } from './compressed-error.ts';
import { decompress } from './compression.ts';
import { loadCodec } from './native-codec.ts';
import { BATCH_HEADER_BYTES, decodeRecordBatches, encodeRecordBatch } from './record-batch.ts';
import { WireError } from './wire-error.ts';
import { decompressZstd } from './zstd.ts';
import { lookAtFrames } from './zstd-frames.ts';

const TEXT = Array.from({ length: 60 }, (_, i) => `record ${i} of a batch that repeats itself, ${i * i}; `).join('');

/** The text as the command lines of lz4 1.9.4 and zstd 1.5.4 compress it. */
const FOREIGN: readonly (readonly [string, Codec, string])[] = [
  [
    'lz4, many blocks allowed, checksum of the content',
    'lz4',
    'BCJNGGxACAsAAAAAAAAWYgIAAPMdcmVjb3JkIDAgb2YgYSBiYXRjaCB0aGF0IHJlcGVhdHMgaXRzZWxmLCAwOyAsAB8xLAAOFTEsAB8y' +
      'LAAOFTQsAB8zLAAOFTksAB80LAAOJTE2LQAfNS0ADiUyNS0AHzYtAA4WM1oAHzctAA4WNLQAHzgtAA4WNg0BHzktAA4WOGYBHzG/AQ8n' +
      'MTDBAQ/CARAXMl4AD8UBDyYxNLoAHzHIAQ8mMTYWAR8xywEQFjlyAR8xzQEQB84BHzHPAQ8nMjVeAA/RAQ8nMji8AA/TAQ8nMzIaAQ/V' +
      'AQ8mMzZ4AR8y1gEPFzTWAR8y1gEPJzQ0XgAP1gEPJjQ4vAAfMtYBDyY1MhoBHzLWAQ8mNTd4AR8y1gEPFzbWAR8y1gEPGDZeAA/WAQ8Y' +
      'N7wAD9YBDxg3GgEP1gEPFzh4AR8z1gEPFznWAR8z1gEPFzk0Ah8z1gEPJzEwkwIfM9cBDycxMPICHzPYAQ8nMTFRAx8z2QEPJzEy2gEf' +
      'M9oBDycxMg8EHzPbAQ8nMTNuBB8z3AEPJzE0zQQfM90BDycxNSwFHzTeAQ8nMTbfAR803wEPJzE26gUfNOABEBc3RwYfNOABEBc4pAYf' +
      'NOABEBc5AQcfNOABDycyMOABHzTgAQ8nMjG7Bx804AEPNjIyMHgEHzTgAQ82MjMw1wQfNOABDzYyNDA2BR814AEPJzI14AEfNeABDygy' +
      'NmAAD+ABDycyN8AAHzXgAQ8nMjggAR814AEPJzI5gAEfNeABDxgz4AEfNeABDyczMUACHzXgAQ8nMzKgAh814AEPJzMzAAMfNeABD2Az' +
      'NDgxOyAAAAAAyHqmSg==',
  ],
  [
    'lz4, checksums of blocks',
    'lz4',
    'BCJNGHRAvWICAADzHXJlY29yZCAwIG9mIGEgYmF0Y2ggdGhhdCByZXBlYXRzIGl0c2VsZiwgMDsgLAAfMSwADhUxLAAfMiwADhU0LAAf' +
      'MywADhU5LAAfNCwADiUxNi0AHzUtAA4lMjUtAB82LQAOFjNaAB83LQAOFjS0AB84LQAOFjYNAR85LQAOFjhmAR8xvwEPJzEwwQEPwgEQ' +
      'FzJeAA/FAQ8mMTS6AB8xyAEPJjE2FgEfMcsBEBY5cgEfMc0BEAfOAR8xzwEPJzI1XgAP0QEPJzI4vAAP0wEPJzMyGgEP1QEPJjM2eAEf' +
      'MtYBDxc01gEfMtYBDyc0NF4AD9YBDyY0OLwAHzLWAQ8mNTIaAR8y1gEPJjU3eAEfMtYBDxc21gEfMtYBDxg2XgAP1gEPGDe8AA/WAQ8Y' +
      'NxoBD9YBDxc4eAEfM9YBDxc51gEfM9YBDxc5NAIfM9YBDycxMJMCHzPXAQ8nMTDyAh8z2AEPJzExUQMfM9kBDycxMtoBHzPaAQ8nMTIP' +
      'BB8z2wEPJzEzbgQfM9wBDycxNM0EHzPdAQ8nMTUsBR803gEPJzE23wEfNN8BDycxNuoFHzTgARAXN0cGHzTgARAXOKQGHzTgARAXOQEH' +
      'HzTgAQ8nMjDgAR804AEPJzIxuwcfNOABDzYyMjB4BB804AEPNjIzMNcEHzTgAQ82MjQwNgUfNeABDycyNeABHzXgAQ8oMjZgAA/gAQ8n' +
      'MjfAAB814AEPJzI4IAEfNeABDycyOYABHzXgAQ8YM+ABHzXgAQ8nMzFAAh814AEPJzMyoAIfNeABDyczMwADHzXgAQ9gMzQ4MTsgZIGR' +
      'NAAAAADIeqZK',
  ],
  [
    'lz4, compressed hard',
    'lz4',
    'BCJNGGBAgkMCAADzHXJlY29yZCAwIG9mIGEgYmF0Y2ggdGhhdCByZXBlYXRzIGl0c2VsZiwgMDsgLAAfMSwADhUxLAAfMiwADhU0LAAf' +
      'MywADhU5LAAfNIQADxU2LQAfNS0ADiUyNS0AHzYtAA4WM1oAHzffAA8GtAAfOC0ADhY2DQEfOS0ADhY4ZgEfMb8BDycxMMEBD8IBEBcy' +
      'XgAPxQEPJjE0ugAvMTOcARAGFgEfMcsBEBY5cgEfMc0BEAfOAS8xNvwBEAdeAA/RAQ8nMji8AA/TAQ8nMzIaAR85XAIQBzwDD9YBDxc0' +
      '1gEfMtYBDyc0NF4AD5sDEBY4vAAfMtYBDyY1MhoBHzLWAQ8mNTd4AR8y1gEPFzbWAR8y1gEPGDZeAA/WAQ8YN7wAD9YBDxg3GgEPqwMQ' +
      'B3gBHzPWAQ8XOdYBHzPWAQ8XOTQCHzOsAxAXMJMCHzOtAxAXMPICHzOuAxAXMVEDLzM1awQQB9oBLzM2MAAQBw8EHzPbAQ8nMTNuBC8z' +
      'OMwEEQcgAQ/dAQ8nMTUsBR80igUQFzbfAR80iwUQFzbqBR804AEQFzdHBh804AEQFzikBh80jgURBwEHHzSPBRAXMOABHzSQBRAXMbsH' +
      'HzSRBRAnMjDAAA/gAQ83MjMwIAEP4AEPNjI0MIABLzUwUAYQB+ABHzXgAQ8oMjZgAA/gAQ8nMjfAAC81M7EGEAcgAR814AEPKDI5OwkP' +
      '4AEPGDPgAR81PwkQFzFAAi81N0IHEQfAAA9yBxAXMwADHzVzBxBQNDgxOyAAAAAA',
  ],
  [
    'zstd, streamed, with a checksum',
    'zstd',
    'KLUv/QRYfQgAgk4jF5A36c3qa9cmbO3ubkfKLWVKycjz3QETZEC7qWx6TabJxCuNlaaUpkpUmvfjftqT/fS+31764mtO55vN4tIkk/fQ' +
      'HrrO51uttKWlWi3UUu39+ynL99rOCpWlul/5b4ek3cvupVxUKv78kmQwBKBAYCSOAZI4CqPAQJCjMBzEQDiKAFKQwoEMEUAcCAYidqgh' +
      'jNf7fwaQM5LmEhhBgIWnGoL/b+IPpSZrr2hziXcjb89kzQ3NHeVqxkmU/Gx7EIz7DF7CDTSKHwc8S4CBNvs3S3WYUy+ZYWnejihehMiu' +
      '2uokKBvIsWwU0OEn3RJtmG4XLHzuUtwjpgp7ij0BaVcIrRIa4BEdQWTQfABUBbO+tuQ=',
  ],
  [
    'zstd, one segment',
    'zstd',
    'KLUv/WAICiUJAEbULhSgGzq0L/f7DgC2KOWWMqUEyvevTDQAJAAjAD9LlhwOafeyeykXlYo/vyQJDAEcFAbHI0EcD4GBYWiQhwDxIAjC' +
      'QzAgAnJYkCGFxoJgaAS9Feu1lFapKrWoVei9knt7y5+d+ZTl42vjWQuLWqSWWMfzimZk69QpvXz870a/sC/yxTnxfJrN4pK4JJP30B7W' +
      'rKNnbszbBSRAu49ettG9LlSmi6hjouL1dGM1fUpLnCpphjrEee8f137Tlld2qBGAqM373wHAMyo5EYwQoAVO+H9/J6wgmUqEWUEylQiz' +
      'glxmTyXHtRen4u9fOgg088eRqRIMv+4WUb24ehfU0uufMn6SuVPGTzJ3yvhJ5s5jZTMxOUJMnoQChEMQkTMmD/iAVgU=',
  ],
];

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
  return 'nothing thrown';
};

const hex = (...parts: readonly string[]): Buffer => Buffer.from(parts.join(''), 'hex');

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const little = (value: number): Buffer => int32(value).reverse();

/** What each codec makes of bytes that it does not compress, but only wraps. */
const STORED: Readonly<Record<Codec, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes, { level: 0 }),
  lz4: (bytes) => Buffer.concat([hex('04224d18', '60', '40', '82'), little(bytes.length + 2 ** 31), bytes, little(0)]),
  snappy: (bytes) => {
    const claim = Buffer.from([(bytes.length & 0x7f) | 0x80, bytes.length >> 7]);
    return Buffer.concat([claim, Buffer.from([0xf4]), little(bytes.length - 1).subarray(0, 2), bytes]);
  },
  zstd: (bytes) =>
    Buffer.concat([hex('28b52ffd', 'a0'), little(bytes.length), little((bytes.length << 3) | 1).subarray(0, 3), bytes]),
};
const CODECS = Object.keys(STORED) as Codec[];
const NUMBERS: Readonly<Record<Codec, number>> = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 };

describe('decompressing', () => {
  it.each(FOREIGN)('%s', (_, codec, base64) => {
    expect(decompress(codec, Buffer.from(base64, 'base64')).toString()).toBe(TEXT);
  });

  it('gzip', () => {
    expect(decompress('gzip', gzipSync(TEXT)).toString()).toBe(TEXT);
  });

  it.each(CODECS)('%s of what was not worth it', (codec) => {
    expect(decompress(codec, STORED[codec](Buffer.from(TEXT))).toString()).toBe(TEXT);
  });

  it.each([
    ['a literal and a near copy of itself', '0e' + '046162' + '1d02' + '007a', 'ababababababaz'],
    ['a middle copy', '08' + '0c61626364' + '0e0400', 'abcdabcd'],
    ['a far copy', '08' + '0c61626364' + '0f04000000', 'abcdabcd'],
    ['a literal with its length behind the tag', '3d' + 'f03c' + '61'.repeat(61), 'a'.repeat(61)],
    ['nothing', '00', ''],
  ])('snappy: %s', (_, block, text) => {
    const bytes = hex(block);
    expect(decompress('snappy', bytes).toString()).toBe(text);
    const framed = [
      hex('82534e4150505900', '0000000100000001'),
      int32(bytes.length),
      bytes,
      int32(bytes.length),
      bytes,
    ];
    expect(decompress('snappy', Buffer.concat(framed)).toString()).toBe(text + text);
  });

  it('lz4: a match in the block before, and frames one after the other', () => {
    const first = [little(8 + 2 ** 31), Buffer.from('abcdefgh')];
    const second = [little(5), hex('00', '0800', '10', '7a')];
    const frame = Buffer.concat([hex('04224d18', '40', '40', 'c0'), ...first, ...second, little(0)]);
    const skippable = Buffer.concat([hex('502a4d18'), little(3), Buffer.from('xyz')]);
    expect(decompress('lz4', Buffer.concat([frame, skippable, frame])).toString()).toBe('abcdefghabcdz'.repeat(2));
  });
});

// A platform for which a package has no binary.
it('a codec that cannot be loaded is told by its package, and is no fault of the records', () => {
  expect(() => loadCodec('lz4', 'no-such-package')).toThrow(/compressed with lz4 cannot be read here: no-such-package/);
  expect(codeOf(() => loadCodec('lz4', 'no-such-package'))).toBe('WIRE_CODEC_MISSING');
});

describe('what is too large', () => {
  const zeros = (bytes: number): Buffer => Buffer.alloc(bytes);

  /** Blocks that name many bytes and hold few. */
  const BOMBS: Readonly<Record<Codec, Buffer>> = {
    gzip: gzipSync(zeros(2_000_000)),
    // 20 blocks: one literal, a match of itself of 4 + 15 + 256 * 255 bytes, one literal.
    lz4: Buffer.concat([
      hex('04224d18', '40', '40', 'c0'),
      ...Array.from({ length: 20 }, () => [
        little(1 + 1 + 2 + 257 + 2),
        hex('1f', '00', '0100', 'ff'.repeat(256), '00', '1000'),
      ]).flat(),
      little(0),
    ]),
    snappy: hex('80897a', '0000', ...Array.from({ length: 40_000 }, () => 'fe0100')),
    // One segment of 2,000,000 bytes: blocks of 100,000 that repeat one byte.
    zstd: Buffer.concat([
      hex('28b52ffd', 'a0'),
      little(2_000_000),
      ...Array.from({ length: 20 }, (_, index) => {
        const head = (100_000 << 3) | 2 | (index === 19 ? 1 : 0);
        return Buffer.concat([little(head).subarray(0, 3), zeros(1)]);
      }),
    ]),
  };

  it.each(CODECS)('%s: a small batch that would be a large one', (codec) => {
    expect(codeOf(() => decompress(codec, BOMBS[codec], 100_000))).toBe('WIRE_COMPRESSED_TOO_LARGE');
  });

  it.each(CODECS)('%s: up to the limit it is taken', (codec) => {
    const bytes = STORED[codec](zeros(1000));
    expect(decompress(codec, bytes, 1000)).toHaveLength(1000);
    expect(codeOf(() => decompress(codec, bytes, 999))).toBe('WIRE_COMPRESSED_TOO_LARGE');
  });

  it('zstd: a window that nobody needs is not allocated', () => {
    const window = hex('28b52ffd', '00', 'a0', '010000');
    expect(codeOf(() => decompress('zstd', window))).toBe('WIRE_COMPRESSED_TOO_LARGE');
  });
});

describe('what was never compressed', () => {
  it.each(CODECS)('%s: any cut and any other bytes are a WireError', (codec) => {
    const whole = STORED[codec](Buffer.from(TEXT));
    for (const end of [1, 3, 6, 9, whole.length - 1]) {
      expect(
        codeOf(() => decompress(codec, whole.subarray(0, end))),
        `cut at ${end}`,
      ).toBe('WIRE_COMPRESSED_INVALID');
    }
    for (const garbage of [Buffer.from(TEXT), Buffer.alloc(200, 0xff)]) {
      expect(codeOf(() => decompress(codec, garbage))).toMatch(/^WIRE_COMPRESSED_(INVALID|TOO_LARGE)$/);
    }
  });

  it.each([
    [
      'lz4',
      'a block larger than its frame allows',
      `04224d184040c0a70f00001f000100${'ff'.repeat(4000)}0010000000000000`,
    ],
    ['lz4', 'a match before the beginning', '04224d18' + '6040' + '82' + '05000000' + '10' + '61' + '0900' + '00'],
    ['lz4', 'another version', '04224d18' + '2040' + '82' + '00000000'],
    ['lz4', 'a dictionary', '04224d18' + '6140' + '82' + '00000000'],
    ['snappy', 'a copy from before the beginning', '05' + '0061' + '0509'],
    ['snappy', 'a copy from nowhere', '05' + '0061' + '0500'],
    // A library that takes this length for a negative one goes round here for ever.
    ['snappy', 'a literal of nearly 4 GiB', '05' + 'fc' + 'faffffff' + '61'],
    ['snappy', 'less than it claims', '05' + '0061'],
    ['snappy', 'more than it claims', '01' + '046162'],
  ] as const)('%s: %s', (codec, _, bytes) => {
    expect(codeOf(() => decompress(codec, hex(bytes)))).toBe('WIRE_COMPRESSED_INVALID');
  });

  it.each(CODECS)('%s damaged in any way is bytes or a WireError, at once', (codec) => {
    const random = randomStream(20_261_130, codec);
    const good = [
      STORED[codec](Buffer.from(TEXT)),
      ...FOREIGN.filter(([, name]) => name === codec).map(([, , base64]) => Buffer.from(base64, 'base64')),
      ...(codec === 'snappy' ? [hex('1e' + '046162' + '1d02' + '007a' + '3e0400')] : []),
      ...(codec === 'gzip' ? [gzipSync(TEXT)] : []),
    ];
    let refused = 0;
    for (let index = 0; index < 5_000; index++) {
      const code = codeOf(() => decompress(codec, damaged(good[index % good.length]!, random), 1_000_000));
      if (code !== 'nothing thrown') refused++;
    }
    expect(refused).toBeGreaterThan(1_000);
  });
});

// Red before: nothing ended the first three, the bombs were decompressed up to the limit first, and many frames overflowed the stack.
describe('what is crafted for the library of zstd', () => {
  const zstd = (...blocks: readonly Buffer[]): Buffer => Buffer.concat([hex('28b52ffd', '00', '58'), ...blocks]);
  const head = (size: number, type: number, isLast: boolean): Buffer =>
    little((size << 3) | (type << 1) | Number(isLast)).subarray(0, 3);
  const block = (content: string): Buffer => Buffer.concat([head(content.length / 2, 2, true), hex(content)]);

  it.each([
    // Weights of Huffman by a table in which one symbol has all there is: it takes no bits, so they never come to an end.
    ['a table that never ends', block('428002' + '05f003000001' + '00000000' + '00')],
    // Each of 98,047 sequences is a match of 65,539 bytes and more, in a block that may hold 131,072.
    ['sequences that go on and on', block('00' + 'ffffff' + '54' + '000034' + '01')],
  ])('%s is stopped', (_, bytes) => {
    expect(codeOf(() => decompressZstd(zstd(bytes), 64_000_000, 300))).toBe('WIRE_COMPRESSED_INVALID');
  });

  it('a window that is moved for each of many blocks is stopped', () => {
    const blocks = Array.from({ length: 100_000 }, (_, index) =>
      Buffer.concat([head(1, 1, index === 99_999), Buffer.alloc(1)]),
    );
    const bytes = Buffer.concat([hex('28b52ffd', '00', '78'), ...blocks]);
    expect(codeOf(() => decompressZstd(bytes, 64_000_000, 300))).toBe('WIRE_COMPRESSED_INVALID');
  });

  it.each([
    ['by what it says of itself', hex('28b52ffd', 'c0', '58', '0000000001000000', '010000')],
    [
      'by what its blocks say',
      zstd(...Array.from({ length: 20 }, (_, i) => Buffer.concat([head(100_000, 1, i === 19), hex('00')]))),
    ],
    ['by many frames', Buffer.concat(Array.from({ length: 20 }, () => zstd(head(100_000, 1, true), hex('00'))))],
  ])('a bomb is told before anything is decompressed: %s', (_, bytes) => {
    expect(() => lookAtFrames(bytes)).not.toThrow();
    expect(lookAtFrames(bytes).atLeastBytes).toBeGreaterThan(1_900_000);
    expect(codeOf(() => decompress('zstd', bytes, 1_900_000))).toBe('WIRE_COMPRESSED_TOO_LARGE');
  });

  it('frames that say nothing, and many of the others, are taken as they are', () => {
    const skippable = Buffer.concat([hex('532a4d18'), little(3), Buffer.from('xyz')]);
    const some = STORED.zstd(Buffer.from('abc'));
    expect(decompress('zstd', Buffer.concat([skippable, some, skippable, some])).toString()).toBe('abcabc');
    expect(codeOf(() => decompress('zstd', Buffer.concat([some, skippable.subarray(0, -1)])))).toBe(
      'WIRE_COMPRESSED_INVALID',
    );
    const many = Buffer.concat(Array.from({ length: 50_000 }, (_, index) => (index % 2 === 0 ? skippable : some)));
    expect(decompress('zstd', many)).toHaveLength(75_000);
  });

  it('a block beyond what the format allows, and one of no known type, are refused', () => {
    expect(codeOf(() => decompress('zstd', zstd(head(131_073, 1, true), hex('00'))))).toBe('WIRE_COMPRESSED_INVALID');
    expect(codeOf(() => decompress('zstd', zstd(head(1, 3, true), hex('00'))))).toBe('WIRE_COMPRESSED_INVALID');
  });
});

describe('compressed record batches', () => {
  const records = Array.from({ length: 20 }, (_, index) => ({
    key: Buffer.from(`k${index}`),
    value: Buffer.from(`value ${index} `.repeat(5)),
    timestamp: 1_700_000_000_000 + index,
    headers: [],
  }));
  const plain = encodeRecordBatch({ records, baseOffset: 40, producerId: 7, producerEpoch: 1, baseSequence: 3 });

  /** The same batch with other bytes behind its header, and a checksum that fits them. */
  const repacked = (codec: Codec, content: Buffer): Buffer => {
    const batch = Buffer.concat([plain.subarray(0, BATCH_HEADER_BYTES), content]);
    batch.writeInt32BE(batch.length - 12, 8);
    batch[22] = NUMBERS[codec];
    sealBatch(batch, 0, batch.length);
    return batch;
  };

  it.each(CODECS)('%s: the records are those of the plain batch', (codec) => {
    const compressed = repacked(codec, STORED[codec](plain.subarray(BATCH_HEADER_BYTES)));
    const [batch] = decodeRecordBatches(compressed).batches;
    expect(batch).toMatchObject({ compression: codec, crcOk: true, recordCount: 20, producerId: 7, baseSequence: 3 });
    expect(batch?.records).toEqual(decodeRecordBatches(plain).batches[0]?.records);
  });

  it.each(CODECS)('%s: content that is nothing of the kind is a typed error', (codec) => {
    const broken = repacked(codec, Buffer.from('nothing that anybody has compressed'));
    expect(codeOf(() => decodeRecordBatches(broken, 'report'))).toMatch(/^WIRE_COMPRESSED_(INVALID|TOO_LARGE)$/);
  });

  it.each(CODECS)('%s: a batch with a wrong checksum is told as damaged, and not decompressed', (codec) => {
    const compressed = repacked(codec, STORED[codec](plain.subarray(BATCH_HEADER_BYTES)));
    compressed[compressed.length - 1] = (compressed[compressed.length - 1] as number) ^ 1;
    expect(decodeRecordBatches(compressed, 'report').batches[0]).toMatchObject({ crcOk: false, records: [] });
  });

  it.each(CODECS)(
    '%s: what the Java client compressed is read, recorded by test/systems/compressed-records.test.ts',
    (codec) => {
      const file = new URL('../../test/fixtures/compressed/java.json', import.meta.url);
      const recorded = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<Codec, string>>;
      const [batch] = decodeRecordBatches(Buffer.from(recorded[codec], 'base64')).batches;
      expect(batch).toMatchObject({ compression: codec, crcOk: true, baseOffset: 0 });
      const values = batch?.records.map(({ value }) => String(value)) ?? [];
      expect(values.length).toBeGreaterThan(10);
      expect(values).toEqual(values.map((_, index) => String(index)));
    },
  );

  it('counts that do not fit what was decompressed are refused', () => {
    const few = repacked('gzip', gzipSync(plain.subarray(BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + 30)));
    expect(codeOf(() => decodeRecordBatches(few))).toBe('WIRE_COUNT_TOO_LARGE');
    const more = repacked('gzip', gzipSync(Buffer.concat([plain.subarray(BATCH_HEADER_BYTES), Buffer.alloc(4)])));
    expect(codeOf(() => decodeRecordBatches(more))).toBe('WIRE_BATCH_INVALID');
  });
});
