// A slot as it stands on a volume: its key, where it was written, and checksums that tell a whole one from a torn one. The checksum of
// the header stands alone, so that whoever looks through a volume can step over a slot whose bytes are torn.
import { crc32c } from '../../checksum.ts';

const MAGIC = 0x41505756;
/** Magic u32, checksum of the header behind it u32, checksum of the slot u32, length of key and slot u32, position f64; then the key. */
const FIXED_BYTES = 28;
const CHECKED_FROM = 8;
/** Enough to read any header. */
export const MOST_HEADER_BYTES = 512;

export interface FrameHeader {
  readonly key: string;
  readonly position: number;
  /** Of header and slot. */
  readonly sizeBytes: number;
}

interface ReadHeader extends FrameHeader {
  readonly slotAt: number;
  readonly slotChecksum: number;
}

export const encodeFrame = (key: string, position: number, slot: Uint8Array): Uint8Array => {
  const name = new TextEncoder().encode(key);
  const bytes = new Uint8Array(FIXED_BYTES + name.length + slot.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC);
  view.setUint32(8, crc32c(slot));
  view.setUint32(12, name.length);
  view.setUint32(16, slot.length);
  view.setFloat64(20, position);
  bytes.set(name, FIXED_BYTES);
  bytes.set(slot, FIXED_BYTES + name.length);
  view.setUint32(4, crc32c(bytes.subarray(CHECKED_FROM, FIXED_BYTES + name.length)));
  return bytes;
};

/** The header at the beginning of `bytes`; undefined where there is none, or only a part of one. */
export const decodeFrameHeader = (bytes: Uint8Array): ReadHeader | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < FIXED_BYTES || view.getUint32(0) !== MAGIC) return undefined;
  const slotAt = FIXED_BYTES + view.getUint32(12);
  if (slotAt > bytes.length || crc32c(bytes.subarray(CHECKED_FROM, slotAt)) !== view.getUint32(4)) return undefined;
  return {
    key: new TextDecoder().decode(bytes.subarray(FIXED_BYTES, slotAt)),
    position: view.getFloat64(20),
    sizeBytes: slotAt + view.getUint32(16),
    slotAt,
    slotChecksum: view.getUint32(8),
  };
};

/** What a successor does with a slot that is there in part. Only the defect `torn-tail-accepted` takes it, zeros for the rest. */
export type TornSlots = 'refused' | 'accepted';

/** The slot of `key` in `bytes`, which begin with its header; undefined where it is not there as a whole. */
export const slotOf = (bytes: Uint8Array, key: string, torn: TornSlots = 'refused'): Uint8Array | undefined => {
  const header = decodeFrameHeader(bytes);
  if (header?.key !== key) return undefined;
  const slot = new Uint8Array(header.sizeBytes - header.slotAt);
  slot.set(bytes.subarray(header.slotAt, header.sizeBytes));
  return torn === 'accepted' || crc32c(slot) === header.slotChecksum ? slot : undefined;
};
