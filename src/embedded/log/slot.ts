// One slot of the write-ahead log: the batches of one group commit with the name of who wrote them. A slot is created once,
// never replaced, and deleted only after the index has moved past it.
import { LogDamaged } from './log-damaged.ts';

export interface Slot {
  readonly epoch: number;
  /** Of the ownership that wrote it. */
  readonly nonce: string;
  readonly slot: number;
  readonly baseOffset: number;
  readonly endOffset: number;
  /** Whole batches, one after the other. */
  readonly batches: Uint8Array;
}

const MAGIC = 0x41504c31;
const HEADER_BYTES = 36;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Layout: magic u32, epoch u32, slot f64, base and end offset f64, nonce length u32, nonce, batches. */
export const encodeSlot = (slot: Omit<Slot, 'batches'>, batches: readonly Uint8Array[]): Uint8Array => {
  const nonce = encoder.encode(slot.nonce);
  const sizeBytes = batches.reduce((sum, batch) => sum + batch.length, HEADER_BYTES + nonce.length);
  const bytes = new Uint8Array(sizeBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC);
  view.setUint32(4, slot.epoch);
  view.setFloat64(8, slot.slot);
  view.setFloat64(16, slot.baseOffset);
  view.setFloat64(24, slot.endOffset);
  view.setUint32(32, nonce.length);
  bytes.set(nonce, HEADER_BYTES);
  let at = HEADER_BYTES + nonce.length;
  for (const batch of batches) {
    bytes.set(batch, at);
    at += batch.length;
  }
  return bytes;
};

/** The slot in `bytes`; its batches share their memory. `key` names it in the error. */
export const decodeSlot = (bytes: Uint8Array, key: string): Slot => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0) !== MAGIC) throw new LogDamaged(`${key} is no slot of the log`);
  const batchesAt = HEADER_BYTES + view.getUint32(32);
  if (batchesAt > bytes.length) throw new LogDamaged(`${key} ends within its header`);
  return {
    epoch: view.getUint32(4),
    nonce: decoder.decode(bytes.subarray(HEADER_BYTES, batchesAt)),
    slot: view.getFloat64(8),
    baseOffset: view.getFloat64(16),
    endOffset: view.getFloat64(24),
    batches: bytes.subarray(batchesAt),
  };
};
