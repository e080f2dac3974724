// Reads what producers have compressed: gzip by Node.js, the others by libraries that are loaded when first needed. Whatever is wrong with the bytes is a `WireError`, and more than the limit is never held. One thing is not held
// against a limit: a Zstandard table crafted for it may keep fzstd busy for ever. Nothing is compressed here, as our own producer
// sends records as they are.
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { describeError } from '../errors.ts';
import { type Codec, notCompressed, tooLarge } from './compressed-error.ts';
import { decompressLz4 } from './lz4.ts';
import { decompressSnappy } from './snappy.ts';
import { WireError } from './wire-error.ts';
import { largestWindowBytes } from './zstd-window.ts';

/** The most that one batch may come to. Brokers take a million bytes of it, compressed, where nobody has told them otherwise. */
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

interface Zstd {
  readonly Decompress: new (onData: (chunk: Uint8Array) => void) => { push(bytes: Uint8Array, isLast: boolean): void };
}

const require = createRequire(import.meta.url);

const isOutgrown = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';

const decompressGzip = (bytes: Buffer, maxBytes: number): Buffer => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (thrown) {
    if (isOutgrown(thrown)) throw tooLarge('gzip', maxBytes);
    throw thrown;
  }
};

const decompressZstd = (bytes: Buffer, maxBytes: number): Buffer => {
  if (largestWindowBytes(bytes) > maxBytes) throw tooLarge('zstd', maxBytes);
  const { Decompress } = require('fzstd') as Zstd;
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  const stream = new Decompress((chunk) => {
    left -= chunk.length;
    if (left < 0) throw tooLarge('zstd', maxBytes);
    chunks.push(chunk);
  });
  stream.push(bytes, true);
  return Buffer.concat(chunks);
};

const DECOMPRESS: Readonly<Record<Codec, (bytes: Buffer, maxBytes: number) => Buffer>> = {
  gzip: decompressGzip,
  lz4: decompressLz4,
  snappy: decompressSnappy,
  zstd: decompressZstd,
};

/**
 * The records of a batch as they were before a producer compressed them. Throws `WIRE_COMPRESSED_TOO_LARGE` where they would be
 * more than `maxBytes`, 64 MiB if nothing is said, and `WIRE_COMPRESSED_INVALID` for bytes that are nothing of the kind.
 */
export const decompress = (codec: Codec, bytes: Buffer, maxBytes: number = MAX_DECOMPRESSED_BYTES): Buffer => {
  try {
    return DECOMPRESS[codec](bytes, maxBytes);
  } catch (thrown) {
    if (thrown instanceof WireError) throw thrown;
    throw notCompressed(codec, describeError(thrown), thrown);
  }
};
