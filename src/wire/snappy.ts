// Snappy, decompression only: one block, or the blocks that the Java client frames. Written here because what is kept of Snappy
// for Node.js needs a binary, and snappyjs goes round for ever over a length of more than 31 bits.
import { notCompressed, tooLarge } from './compressed-error.ts';
import { behind, DecompressedBytes } from './decompressed-bytes.ts';

/** How the Java client begins; two numbers of versions follow, then blocks led by their length. Others send one block. */
const STREAM = Buffer.from('82534e4150505900', 'hex');
const STREAM_HEADER_BYTES = STREAM.length + 8;
const MAX_VARINT_BYTES = 5;
/** What the two low bits of a tag say; of 2 and 3 the distance has two bytes, or four. */
const LITERAL = 0;
const NEAR_COPY = 1;
const MIDDLE_COPY = 2;
/** A literal of more bytes than this tells its length in one to four bytes behind the tag. */
const SHORT_LITERAL = 60;

interface Reading {
  readonly bytes: Buffer;
  readonly end: number;
  at: number;
}

const take = (reading: Reading, count: number): number => {
  const { at } = reading;
  reading.at = behind('snappy', at, count, reading.end);
  return at;
};

/** The length that a block claims to have when it is decompressed. */
const readClaim = (reading: Reading): number => {
  let length = 0;
  for (let count = 0; count < MAX_VARINT_BYTES; count++) {
    const byte = reading.bytes[take(reading, 1)] as number;
    length += (byte & 0x7f) * 2 ** (7 * count);
    if (byte < 0x80) return length;
  }
  throw notCompressed('snappy', 'a block does not say how long it is');
};

const readLiteral = (reading: Reading, tag: number, output: DecompressedBytes): void => {
  const short = (tag >> 2) + 1;
  const wide = short - SHORT_LITERAL;
  const length = wide <= 0 ? short : reading.bytes.readUIntLE(take(reading, wide), wide) + 1;
  const from = take(reading, length);
  output.take(reading.bytes, from, reading.at);
};

const readCopy = (reading: Reading, tag: number, output: DecompressedBytes): void => {
  const { bytes } = reading;
  switch (tag & 3) {
    case NEAR_COPY:
      output.repeat(((tag >> 5) << 8) + (bytes[take(reading, 1)] as number), ((tag >> 2) & 7) + 4);
      return;
    case MIDDLE_COPY:
      output.repeat(bytes.readUInt16LE(take(reading, 2)), (tag >> 2) + 1);
      return;
    default:
      output.repeat(bytes.readUInt32LE(take(reading, 4)), (tag >> 2) + 1);
  }
};

/** One block, which must come to just what it claims. */
const readBlock = (reading: Reading, maxBytes: number): Buffer => {
  const claimed = readClaim(reading);
  if (claimed > maxBytes) throw tooLarge('snappy', maxBytes);
  const output = new DecompressedBytes('snappy', claimed, maxBytes);
  while (reading.at < reading.end) {
    const tag = reading.bytes[take(reading, 1)] as number;
    if ((tag & 3) === LITERAL) readLiteral(reading, tag, output);
    else readCopy(reading, tag, output);
  }
  if (output.length === claimed) return output.finish();
  throw notCompressed('snappy', `a block of ${claimed} bytes came to ${output.length}`);
};

/**
 * Decompresses a block of Snappy, or a stream of them. Throws `WIRE_COMPRESSED_TOO_LARGE` before more than `maxBytes` are held,
 * and `WIRE_COMPRESSED_INVALID` for what is neither.
 */
export const decompressSnappy = (bytes: Buffer, maxBytes: number): Buffer => {
  if (!bytes.subarray(0, STREAM.length).equals(STREAM)) {
    return readBlock({ bytes, at: 0, end: bytes.length }, maxBytes);
  }
  const blocks: Buffer[] = [];
  let left = maxBytes;
  for (let at = STREAM_HEADER_BYTES; at < bytes.length; ) {
    const from = behind('snappy', at, 4, bytes.length);
    at = behind('snappy', from, bytes.readUInt32BE(from - 4), bytes.length);
    const block = readBlock({ bytes, at: from, end: at }, left);
    left -= block.length;
    blocks.push(block);
  }
  return Buffer.concat(blocks);
};
