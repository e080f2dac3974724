// CRC32C (Castagnoli), the checksum of Kafka's record batches and of our own ledger blocks. The native build is used where
// its binary fits this machine; otherwise the table below gives the same numbers, five times slower.
import { createRequire } from 'node:module';

type Crc32c = (input: Uint8Array, initial?: number) => number;

const table = new Uint32Array(256).map((_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});

/** The plain JavaScript form, exported so that a test can hold it against the native one. */
export const crc32cPlain: Crc32c = (input, initial = 0) => {
  let value = ~initial >>> 0;
  for (let index = 0; index < input.length; index++) {
    value = ((table[(value ^ (input[index] as number)) & 0xff] as number) ^ (value >>> 8)) >>> 0;
  }
  return ~value >>> 0;
};

const native = (): Crc32c | undefined => {
  try {
    const loaded = createRequire(import.meta.url)('@node-rs/crc32') as { crc32c: Crc32c };
    return loaded.crc32c;
  } catch {
    return undefined;
  }
};

const nativeCrc32c = native();

/** CRC32C of `input`, continuing from `initial` (default 0); an unsigned 32-bit integer. */
export const crc32c: Crc32c = nativeCrc32c ?? crc32cPlain;
