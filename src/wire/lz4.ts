// LZ4 frames, decompression only. A frame is stepped through first: it does not say what it comes to, but how much each of its
// blocks may come to at most, and all but the last of an honest frame are full.
import { behind, notCompressed, tooLarge } from './compressed-error.ts';
import { loadCodec } from './native-codec.ts';

interface Lz4 {
  decompressFrameSync(frame: Buffer): Buffer;
}

const MAGIC = 0x184d2204;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** Sixteen numbers from here on begin frames that say nothing. */
const SKIPPABLE_MASK = 0xfffffff0;
const HAS_BLOCK_CHECKSUM = 0x10;
const HAS_CONTENT_SIZE = 0x08;
const HAS_CONTENT_CHECKSUM = 0x04;
const CHECKSUM_BYTES = 4;
const STORED_BLOCK = 0x80000000;
/** What the format can make of one byte. */
const HIGHEST_RATIO = 255;
/** By the number that a frame gives its blocks' size: 4 to 7, each four times the one before. */
const blockBytes = (size: number): number => 2 ** (8 + 2 * size);

interface Frame {
  /** Undefined: one that says nothing. */
  readonly bytes: Buffer | undefined;
  readonly end: number;
  /** The most that it may come to; the last block of an honest one is not full. */
  readonly atMostBytes: number;
  readonly largestBlock: number;
}

/** The blocks from `from` on, to behind their end mark. */
const stepOverBlocks = (bytes: Buffer, from: number, checksumBytes: number, largest: number) => {
  let atMostBytes = 0;
  for (let at = from; ; ) {
    const start = behind('lz4', at, 4, bytes.length);
    const size = bytes.readUInt32LE(at);
    if (size === 0) return { end: start, atMostBytes };
    const isStored = size >= STORED_BLOCK;
    const end = behind('lz4', start, isStored ? size - STORED_BLOCK : size, bytes.length);
    atMostBytes += isStored ? end - start : Math.min(largest, HIGHEST_RATIO * (end - start));
    at = behind('lz4', end, checksumBytes, bytes.length);
  }
};

const frameAt = (bytes: Buffer, from: number): Frame => {
  const descriptorAt = behind('lz4', from, 4, bytes.length);
  const magic = bytes.readUInt32LE(from);
  if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
    const contentAt = behind('lz4', descriptorAt, 4, bytes.length);
    const end = behind('lz4', contentAt, bytes.readUInt32LE(descriptorAt), bytes.length);
    return { bytes: undefined, end, atMostBytes: 0, largestBlock: 0 };
  }
  if (magic !== MAGIC) throw notCompressed('lz4', 'no frame begins where one should');
  behind('lz4', descriptorAt, 3, bytes.length);
  const flags = bytes.readUInt8(descriptorAt);
  // Flags, block size and the header's own checksum, between which the size of the content may stand.
  const headerBytes = 3 + ((flags & HAS_CONTENT_SIZE) !== 0 ? 8 : 0);
  const blocksAt = behind('lz4', descriptorAt, headerBytes, bytes.length);
  const largest = blockBytes((bytes.readUInt8(descriptorAt + 1) >> 4) & 7);
  const checksumBytes = (flags & HAS_BLOCK_CHECKSUM) !== 0 ? CHECKSUM_BYTES : 0;
  const { end: blocksEnd, atMostBytes } = stepOverBlocks(bytes, blocksAt, checksumBytes, largest);
  const end = behind('lz4', blocksEnd, (flags & HAS_CONTENT_CHECKSUM) !== 0 ? CHECKSUM_BYTES : 0, bytes.length);
  return { bytes: bytes.subarray(from, end), end, atMostBytes, largestBlock: largest };
};

/**
 * Decompresses frames of LZ4. Throws `WIRE_COMPRESSED_TOO_LARGE` before more than `maxBytes` and one block are held, and
 * `WIRE_COMPRESSED_INVALID` for what is no such frame.
 */
export const decompressLz4 = (bytes: Buffer, maxBytes: number): Buffer => {
  const contents: Buffer[] = [];
  let left = maxBytes;
  for (let at = 0; at < bytes.length; ) {
    const frame = frameAt(bytes, at);
    at = frame.end;
    if (frame.bytes === undefined) continue;
    if (frame.atMostBytes - frame.largestBlock > left) throw tooLarge('lz4', maxBytes);
    const content = (loadCodec('lz4', 'lz4-napi') as Lz4).decompressFrameSync(frame.bytes);
    left -= content.length;
    if (left < 0) throw tooLarge('lz4', maxBytes);
    contents.push(content);
  }
  return Buffer.concat(contents);
};
