// Reads what producers have compressed: gzip by Node.js, the others by libraries that are loaded when first needed. Whatever is wrong
// with the bytes is a `WireError`, and more than the limit is never held. Nothing is compressed here, as our own producer sends
// records as they are.
import { gunzipSync } from 'node:zlib';
import { describeError } from '../errors.ts';
import { type Codec, notCompressed, tooLarge } from './compressed-error.ts';
import { decompressLz4 } from './lz4.ts';
import { decompressSnappy } from './snappy.ts';
import { WireError } from './wire-error.ts';
import { decompressZstd } from './zstd.ts';

/** The most that one batch may come to. Brokers take a million bytes of it, compressed, where nobody has told them otherwise. */
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

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
