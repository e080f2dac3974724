// The two ways in which compressed records can disappoint: they are no such thing, or they are a bomb.
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
