// LZ4 frames, decompression only. Written here because what is kept of LZ4 for Node.js needs a binary, and lz4js takes broken
// input for good. Checksums are not looked at: a record batch has one of its own, over the compressed bytes.
import { notCompressed } from './compressed-error.ts';
import { behind, DecompressedBytes } from './decompressed-bytes.ts';

const MAGIC = 0x184d2204;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** Sixteen numbers from here on begin frames that say nothing. */
const SKIPPABLE_MASK = 0xfffffff0;
const VERSION_MASK = 0xc0;
const VERSION = 0x40;
const HAS_BLOCK_CHECKSUM = 0x10;
const HAS_CONTENT_SIZE = 0x08;
const HAS_CONTENT_CHECKSUM = 0x04;
const HAS_DICTIONARY = 0x01;
const CHECKSUM_BYTES = 4;
const STORED_BLOCK = 0x80000000;
/** A length of so much in the token goes on in the bytes behind it. */
const LONG = 15;
const LEAST_MATCH = 4;
/** How much larger than its input the output is taken to be at first. */
const USUAL_RATIO = 4;

interface Length {
  readonly length: number;
  readonly next: number;
}

/** A length of which the token holds the beginning; bytes of 255 go on. */
const readLength = (bytes: Buffer, at: number, end: number, begun: number): Length => {
  let length = begun;
  let next = at;
  if (begun < LONG) return { length, next };
  for (;;) {
    const position = next;
    next = behind('lz4', position, 1, end);
    const more = bytes[position] as number;
    length += more;
    if (more < 255) return { length, next };
  }
};

/** One block: literals and matches in turn, the last of them literals. */
const readBlock = (bytes: Buffer, from: number, end: number, output: DecompressedBytes): void => {
  let at = from;
  while (at < end) {
    const token = bytes[at] as number;
    const literals = readLength(bytes, at + 1, end, token >> 4);
    at = behind('lz4', literals.next, literals.length, end);
    output.take(bytes, literals.next, at);
    if (at === end) return;
    const matchAt = behind('lz4', at, 2, end);
    const distance = bytes.readUInt16LE(at);
    const match = readLength(bytes, matchAt, end, token & LONG);
    at = match.next;
    output.repeat(distance, match.length + LEAST_MATCH);
  }
};

/** The blocks of a frame from `from` on; returns where they end, their end mark included. */
const readBlocks = (bytes: Buffer, from: number, checksumBytes: number, output: DecompressedBytes): number => {
  let at = from;
  for (;;) {
    const start = behind('lz4', at, 4, bytes.length);
    const size = bytes.readUInt32LE(at);
    if (size === 0) return start;
    const isStored = size >= STORED_BLOCK;
    const end = behind('lz4', start, isStored ? size - STORED_BLOCK : size, bytes.length);
    if (isStored) output.take(bytes, start, end);
    else readBlock(bytes, start, end, output);
    at = behind('lz4', end, checksumBytes, bytes.length);
  }
};

/** A frame that begins at `from`; returns where it ends. */
const readFrame = (bytes: Buffer, from: number, output: DecompressedBytes): number => {
  const descriptorAt = behind('lz4', from, 4, bytes.length);
  const magic = bytes.readUInt32LE(from);
  if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
    const contentAt = behind('lz4', descriptorAt, 4, bytes.length);
    return behind('lz4', contentAt, bytes.readUInt32LE(descriptorAt), bytes.length);
  }
  if (magic !== MAGIC) throw notCompressed('lz4', 'no frame begins where one should');
  behind('lz4', descriptorAt, 3, bytes.length);
  const flags = bytes[descriptorAt] as number;
  if ((flags & VERSION_MASK) !== VERSION) throw notCompressed('lz4', 'its frame is of another version');
  if ((flags & HAS_DICTIONARY) !== 0) throw notCompressed('lz4', 'it needs a dictionary');
  // Flags, block size and the header's own checksum, between which the size of the content may stand.
  const headerBytes = 3 + ((flags & HAS_CONTENT_SIZE) !== 0 ? 8 : 0);
  const blocksAt = behind('lz4', descriptorAt, headerBytes, bytes.length);
  const end = readBlocks(bytes, blocksAt, (flags & HAS_BLOCK_CHECKSUM) !== 0 ? CHECKSUM_BYTES : 0, output);
  return behind('lz4', end, (flags & HAS_CONTENT_CHECKSUM) !== 0 ? CHECKSUM_BYTES : 0, bytes.length);
};

/**
 * Decompresses frames of LZ4. Throws `WIRE_COMPRESSED_TOO_LARGE` before more than `maxBytes` are held, and
 * `WIRE_COMPRESSED_INVALID` for what is no such frame.
 */
export const decompressLz4 = (bytes: Buffer, maxBytes: number): Buffer => {
  const output = new DecompressedBytes('lz4', USUAL_RATIO * bytes.length, maxBytes);
  for (let at = 0; at < bytes.length; ) at = readFrame(bytes, at, output);
  return output.finish();
};
