// Snappy, decompression only: one block, or the blocks that the Java client frames in a way of its own. A block says how long it is
// before anything of it is decompressed.
import { behind, notCompressed, tooLarge } from './compressed-error.ts';
import { loadCodec } from './native-codec.ts';

interface Snappy {
  uncompressSync(block: Buffer, options: { readonly asBuffer: true }): Buffer;
}

/** How the Java client begins; two numbers of versions follow, then blocks led by their length. Others send one block. */
const STREAM = Buffer.from('82534e4150505900', 'hex');
const STREAM_HEADER_BYTES = STREAM.length + 8;
const MAX_VARINT_BYTES = 5;

/** The length that a block claims to have when it is decompressed. */
const claimOf = (block: Buffer): number => {
  let length = 0;
  for (let at = 0; at < MAX_VARINT_BYTES; at++) {
    behind('snappy', at, 1, block.length);
    const byte = block.readUInt8(at);
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return length;
  }
  throw notCompressed('snappy', 'a block does not say how long it is');
};

const decompressBlock = (block: Buffer, maxBytes: number): Buffer => {
  if (claimOf(block) > maxBytes) throw tooLarge('snappy', maxBytes);
  return (loadCodec('snappy', 'snappy') as Snappy).uncompressSync(block, { asBuffer: true });
};

/**
 * Decompresses a block of Snappy, or a stream of them. Throws `WIRE_COMPRESSED_TOO_LARGE` before more than `maxBytes` are held,
 * and `WIRE_COMPRESSED_INVALID` for what is neither.
 */
export const decompressSnappy = (bytes: Buffer, maxBytes: number): Buffer => {
  if (!bytes.subarray(0, STREAM.length).equals(STREAM)) return decompressBlock(bytes, maxBytes);
  const blocks: Buffer[] = [];
  let left = maxBytes;
  for (let at = STREAM_HEADER_BYTES; at < bytes.length; ) {
    const from = behind('snappy', at, 4, bytes.length);
    at = behind('snappy', from, bytes.readUInt32BE(from - 4), bytes.length);
    const block = decompressBlock(bytes.subarray(from, at), left);
    left -= block.length;
    blocks.push(block);
  }
  return Buffer.concat(blocks);
};
