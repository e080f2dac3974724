// What Zstandard frames come to before a byte of them is decompressed: the memory they ask for, which a library gives them, up to
// 2 GB, and how much they hold at least. Blocks are only stepped over.
import { behind, notCompressed } from './compressed-error.ts';

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

/** What no block may be more than, whatever its window. */
const MAX_BLOCK_BYTES = 128 * 1024;
const REPEATED_BYTE = 1;
const COMPRESSED = 2;

interface FrameHeader {
  readonly windowBytes: number;
  /** Undefined where the frame does not tell. */
  readonly contentBytes: number | undefined;
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
  const contentBytes = sizeBytes === 0 ? undefined : contentSize(bytes, sizeAt, sizeBytes);
  return {
    windowBytes: isSingle ? (contentBytes ?? 0) : windowOf(bytes.readUInt8(at + 1)),
    contentBytes,
    blocksAt: sizeAt + sizeBytes,
    hasChecksum: (flags & HAS_CHECKSUM) !== 0,
  };
};

/** Where the blocks end that begin at `from`, and what those that are not compressed come to. */
const stepOverBlocks = (bytes: Buffer, from: number) => {
  let plainBytes = 0;
  for (let at = from; ; ) {
    const head = bytes.readUIntLE(at, 3);
    const type = (head >> 1) & 3;
    const size = head >> 3;
    if (size > MAX_BLOCK_BYTES) throw notCompressed('zstd', `a block of ${size} bytes begins at position ${at}`);
    if (type !== COMPRESSED) plainBytes += size;
    at = behind('zstd', at + 3, type === REPEATED_BYTE ? 1 : size, bytes.length);
    if ((head & 1) !== 0) return { end: at, plainBytes };
  }
};

export interface ZstdFrames {
  /** Without those that say nothing. */
  readonly frames: readonly Buffer[];
  /** Of any of them. */
  readonly largestWindowBytes: number;
  /** What all of them come to, by what they say of themselves or by their blocks that are not compressed. */
  readonly atLeastBytes: number;
}

/** Steps through the frames in `bytes`. Throws for what are no whole frames. */
export const lookAtFrames = (bytes: Buffer): ZstdFrames => {
  const frames: Buffer[] = [];
  let largestWindowBytes = 0;
  let atLeastBytes = 0;
  for (let at = 0; at < bytes.length; ) {
    const magic = bytes.readUInt32LE(at);
    if ((magic & SKIPPABLE_MASK) >>> 0 === SKIPPABLE_MAGIC) {
      at = behind('zstd', at + 8, bytes.readUInt32LE(at + 4), bytes.length);
      continue;
    }
    if (magic !== MAGIC) throw notCompressed('zstd', 'no frame begins where one should');
    const { windowBytes, contentBytes = 0, blocksAt, hasChecksum } = readHeader(bytes, at + 4);
    const { end, plainBytes } = stepOverBlocks(bytes, blocksAt);
    largestWindowBytes = Math.max(largestWindowBytes, windowBytes);
    atLeastBytes += Math.max(contentBytes, plainBytes);
    const from = at;
    at = behind('zstd', end, hasChecksum ? CHECKSUM_BYTES : 0, bytes.length);
    frames.push(bytes.subarray(from, at));
  }
  return { frames, largestWindowBytes, atLeastBytes };
};
