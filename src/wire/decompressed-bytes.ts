// What decompression by copying writes into, and what it reads from: lengths are held against the bytes that are there, copies
// against what was written, and all of it against a limit.
import { type Codec, notCompressed, tooLarge } from './compressed-error.ts';

/** The position behind `count` bytes at `at`, which must be there. */
export const behind = (codec: Codec, at: number, count: number, end: number): number => {
  if (count <= end - at) return at + count;
  throw notCompressed(codec, `${count} bytes were expected at position ${at}, and ${Math.max(0, end - at)} are there`);
};

/** What has been written so far; it is also what matches are copied from. */
export class DecompressedBytes {
  readonly #codec: Codec;
  readonly #maxBytes: number;
  #bytes: Buffer;
  #at = 0;

  constructor(codec: Codec, expectedBytes: number, maxBytes: number) {
    this.#codec = codec;
    this.#maxBytes = maxBytes;
    this.#bytes = Buffer.allocUnsafe(Math.min(maxBytes, expectedBytes));
  }

  take(bytes: Buffer, from: number, to: number): void {
    this.#makeRoom(to - from);
    bytes.copy(this.#bytes, this.#at, from, to);
    this.#at += to - from;
  }

  /** Writes again what stands `distance` bytes back; what is written may itself be what is copied. */
  repeat(distance: number, length: number): void {
    if (distance === 0 || distance > this.#at) {
      throw notCompressed(this.#codec, `a match is ${distance} bytes back, and ${this.#at} were written`);
    }
    this.#makeRoom(length);
    const from = this.#at - distance;
    const end = this.#at + length;
    while (this.#at < end) {
      // Always a whole number of distances, until the last.
      const count = Math.min(this.#at - from, end - this.#at);
      this.#bytes.copyWithin(this.#at, from, from + count);
      this.#at += count;
    }
  }

  get length(): number {
    return this.#at;
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #makeRoom(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    if (needed > this.#maxBytes) throw tooLarge(this.#codec, this.#maxBytes);
    const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(needed, 2 * this.#bytes.length)));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}
