// How much memory a Zstandard frame asks for before a byte of it is decompressed. A library gives it what it asks for, up to 2 GB,
// so it is looked at first. Blocks are only stepped over.
import { notCompressed } from './compressed-error.ts';

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** Sixteen numbers from here on begin frames that say nothing. */
const SKIPPABLE_MASK = 0xfffffff0;
const IS_SINGLE_SEGMENT = 0x20;
const HAS_CHECKSUM = 0x04;
const CHECKSUM_BYTES = 4;
/** By the two bits that tell it. */
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const REPEATED_BYTE = 1;

interface FrameHeader {
  readonly windowBytes: number;
  readonly blocksAt: number;
  readonly hasChecksum: boolean;
}

/** The size of the content in `count` bytes at `at`; of two bytes it counts from 256 on. */
const contentSize = (bytes: Buffer, at: number, count: number): number => {
  if (count === 8) return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
  return bytes.readUIntLE(at, count) + (count === 2 ? 256 : 0);
};

const windowOf = (descriptor: number): number => {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
};

const readHeader = (bytes: Buffer, at: number): FrameHeader => {
  const flags = bytes.readUInt8(at);
  const isSingle = (flags & IS_SINGLE_SEGMENT) !== 0;
  const sizeBits = (flags >> 6) as 0 | 1 | 2 | 3;
  const sizeBytes = sizeBits === 0 && isSingle ? 1 : CONTENT_SIZE_BYTES[sizeBits];
  const sizeAt = at + 1 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[(flags & 3) as 0 | 1 | 2 | 3];
  return {
    windowBytes: isSingle ? contentSize(bytes, sizeAt, sizeBytes) : windowOf(bytes.readUInt8(at + 1)),
    blocksAt: sizeAt + sizeBytes,
    hasChecksum: (flags & HAS_CHECKSUM) !== 0,
  };
};

/** Where the blocks end that begin at `from`. */
const behindBlocks = (bytes: Buffer, from: number): number => {
  let at = from;
  for (;;) {
    const head = bytes.readUIntLE(at, 3);
    at += 3 + (((head >> 1) & 3) === REPEATED_BYTE ? 1 : head >> 3);
    if ((head & 1) !== 0) return at;
  }
};

/** The largest window that any frame in `bytes` asks for. Throws for what are no whole frames. */
export const largestWindowBytes = (bytes: Buffer): number => {
  let largest = 0;
  for (let at = 0; at < bytes.length; ) {
    const magic = bytes.readUInt32LE(at);
    if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
      at += 8 + bytes.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== MAGIC) throw notCompressed('zstd', 'no frame begins where one should');
    const { windowBytes, blocksAt, hasChecksum } = readHeader(bytes, at + 4);
    largest = Math.max(largest, windowBytes);
    at = behindBlocks(bytes, blocksAt) + (hasChecksum ? CHECKSUM_BYTES : 0);
  }
  return largest;
};
