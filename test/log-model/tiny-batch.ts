// A record batch of the model: 32 bytes of header and a payload that can be recomputed from the batch's number.
import type { BatchFormat, BatchHeader } from '../../src/embedded/log/interfaces.ts';

const HEADER_BYTES = 32;
const PAYLOAD_BYTES = 44;
const BATCH_BYTES = HEADER_BYTES + PAYLOAD_BYTES;

export interface TinyBatch extends BatchHeader {
  /** The batch's number, unique in a schedule. */
  readonly id: number;
  readonly isIntact: boolean;
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export interface TinyInput {
  readonly id: number;
  readonly recordCount: number;
  readonly producerId: number;
  readonly baseSequence: number;
}

export const encodeTinyBatch = ({ id, recordCount, producerId, baseSequence }: TinyInput): Uint8Array => {
  const bytes = new Uint8Array(BATCH_BYTES);
  const view = viewOf(bytes);
  view.setUint32(0, id);
  view.setUint32(4, recordCount);
  view.setInt32(16, producerId);
  view.setInt32(20, 0);
  view.setInt32(24, baseSequence);
  bytes.fill(id & 0xff, HEADER_BYTES);
  return bytes;
};

/** The batch that begins at `at`. */
export const readTinyBatch = (bytes: Uint8Array, at: number): TinyBatch => {
  const view = viewOf(bytes);
  const id = view.getUint32(at);
  return {
    id,
    recordCount: view.getUint32(at + 4),
    baseOffset: view.getUint32(at + 8),
    leaderEpoch: view.getUint32(at + 12),
    producerId: view.getInt32(at + 16),
    producerEpoch: view.getInt32(at + 20),
    baseSequence: view.getInt32(at + 24),
    lengthBytes: BATCH_BYTES,
    isIntact: bytes.subarray(at + HEADER_BYTES, at + BATCH_BYTES).every((byte) => byte === (id & 0xff)),
  };
};

export const tinyBatchFormat: BatchFormat = {
  read: readTinyBatch,
  stamp: (bytes, at, baseOffset, leaderEpoch) => {
    const view = viewOf(bytes);
    view.setUint32(at + 8, baseOffset);
    view.setUint32(at + 12, leaderEpoch);
  },
};

/** Every batch in `bytes`. */
export const tinyBatchesIn = (bytes: Uint8Array): readonly TinyBatch[] =>
  Array.from({ length: bytes.length / BATCH_BYTES }, (_, index) => readTinyBatch(bytes, index * BATCH_BYTES));
