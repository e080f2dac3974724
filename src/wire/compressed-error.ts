// The two ways in which compressed records can disappoint: they are no such thing, or they are a bomb; and the step over bytes that
// must be there.
import type { Compression } from './batch-header.ts';
import { WireError } from './wire-error.ts';

/** What a producer may have compressed with. */
export type Codec = Exclude<Compression, 'none'>;

export const notCompressed = (codec: Codec, why: string, cause?: unknown): WireError =>
  new WireError('WIRE_COMPRESSED_INVALID', `Records cannot be decompressed with ${codec}: ${why}.`, { cause });

export const tooLarge = (codec: Codec, maxBytes: number): WireError =>
  new WireError(
    'WIRE_COMPRESSED_TOO_LARGE',
    `Records compressed with ${codec} would be more than ${maxBytes} bytes, which no honest batch is.`,
  );

/** The position behind `count` bytes at `at`, which must be there. */
export const behind = (codec: Codec, at: number, count: number, end: number): number => {
  if (count <= end - at) return at + count;
  throw notCompressed(codec, `${count} bytes were expected at position ${at}, and ${Math.max(0, end - at)} are there`);
};
