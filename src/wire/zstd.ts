// Zstandard, decompression only, by a library that trusts what it reads, and that a crafted table keeps busy for ever. So frames are
// looked at first, and it is stopped where it gives more than the limit or works for longer than any honest batch could take.
import { createRequire } from 'node:module';
import { type Context, createContext, Script } from 'node:vm';
import { notCompressed, tooLarge } from './compressed-error.ts';
import { lookAtFrames } from './zstd-frames.ts';

/** 60 MB of text took 7 s on a busy machine of two cores. */
const MAX_WORK_MS = 60_000;

interface Zstd {
  readonly Decompress: new (onData: (chunk: Uint8Array) => void) => { push(bytes: Uint8Array, isLast: boolean): void };
}

const require = createRequire(import.meta.url);

/** An error of another realm is no instance of this one's. */
const isTimeUp = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const CALL = new Script('work()');
/** Made when first needed, and once: it takes longer than most batches do. */
let room: Context | undefined;

/** Runs `work` on this thread and ends it in the middle after `maxMs`, also where it never gives control back. */
const withinTime = (work: () => void, maxMs: number): void => {
  room ??= createContext({});
  room['work'] = work;
  try {
    CALL.runInContext(room, { timeout: maxMs });
  } catch (thrown) {
    if (isTimeUp(thrown)) throw notCompressed('zstd', `it was not done after ${maxMs} ms`, thrown);
    throw thrown;
  } finally {
    room['work'] = undefined;
  }
};

/**
 * Decompresses frames of Zstandard, for `maxMs` at most. Throws `WIRE_COMPRESSED_TOO_LARGE` before more than `maxBytes` and one block
 * are held, and `WIRE_COMPRESSED_INVALID` for what is no such frame or takes too long.
 */
export const decompressZstd = (bytes: Buffer, maxBytes: number, maxMs: number = MAX_WORK_MS): Buffer => {
  const { frames, largestWindowBytes, atLeastBytes } = lookAtFrames(bytes);
  if (Math.max(largestWindowBytes, atLeastBytes) > maxBytes) throw tooLarge('zstd', maxBytes);
  const { Decompress } = require('fzstd') as Zstd;
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  const take = (chunk: Uint8Array): void => {
    left -= chunk.length;
    if (left < 0) throw tooLarge('zstd', maxBytes);
    chunks.push(chunk);
  };
  withinTime(() => {
    // One by one: it goes a step deeper for each frame that follows another.
    for (const frame of frames) new Decompress(take).push(frame, true);
  }, maxMs);
  return Buffer.concat(chunks);
};
