// Codecs that come as binaries, loaded when first needed: most topics are not compressed, and not every machine has one.
import { createRequire } from 'node:module';
import { describeError } from '../errors.ts';
import type { Codec } from './compressed-error.ts';
import { WireError } from './wire-error.ts';

const require = createRequire(import.meta.url);

/** @throws WireError where the package has no binary for this machine. */
export const loadCodec = (codec: Codec, name: string): unknown => {
  try {
    return require(name);
  } catch (cause) {
    const why = `Records compressed with ${codec} cannot be read here: ${name} could not be loaded (${describeError(cause)}).`;
    throw new WireError('WIRE_CODEC_MISSING', why, { cause });
  }
};
