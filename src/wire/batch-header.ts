// The fixed part of a record batch (format v2): what a broker needs to place a batch and a reader needs to step over it,
// without touching the records. The checksum covers everything after itself, so offset and leader epoch can be rewritten.
import { crc32c } from '../checksum.ts';
import type { Offset } from '../vocabulary.ts';
import { ByteReader } from './byte-reader.ts';
import { WireError } from './wire-error.ts';

/** Bytes before the first record. */
export const BATCH_HEADER_BYTES = 61;
/** Base offset and batch length; the length counts from behind itself. */
export const BATCH_PREFIX_BYTES = 12;
const LEADER_EPOCH_AT = 12;
const MAGIC_AT = 16;
const CRC_AT = 17;
/** Where the bytes begin that the checksum covers. */
const CHECKED_FROM = 21;
const MAGIC = 2;

/** The producer id and epoch of batches from producers that have none. */
export const NO_PRODUCER = -1;

const COMPRESSIONS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

export const ATTRIBUTE_APPEND_TIME = 0x08;
export const ATTRIBUTE_TRANSACTIONAL = 0x10;
export const ATTRIBUTE_CONTROL = 0x20;
const COMPRESSION_MASK = 0x07;

export interface BatchHeader {
  readonly baseOffset: Offset;
  /** Bytes behind the length field; the whole batch has `totalBytes`. */
  readonly batchLength: number;
  readonly totalBytes: number;
  readonly partitionLeaderEpoch: number;
  readonly crc: number;
  readonly attributes: number;
  readonly compression: Compression;
  readonly isTransactional: boolean;
  readonly isControl: boolean;
  /** Whether timestamps are the broker's time of appending instead of the producer's. */
  readonly hasAppendTime: boolean;
  readonly lastOffsetDelta: number;
  /** Milliseconds since 1970; −1 when there is none. */
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly recordCount: number;
}

const compressionOf = (attributes: number): Compression => {
  const name = COMPRESSIONS[attributes & COMPRESSION_MASK];
  if (name !== undefined) return name;
  throw new WireError('WIRE_BATCH_INVALID', `A record batch names compression ${attributes & COMPRESSION_MASK}.`);
};

/** The length of the batch at `at`, its prefix included, or undefined while the prefix is incomplete. */
export const batchBytesAt = (bytes: Buffer, at: number): number | undefined => {
  if (bytes.length - at < BATCH_PREFIX_BYTES) return undefined;
  const total = BATCH_PREFIX_BYTES + bytes.readInt32BE(at + 8);
  if (total >= BATCH_HEADER_BYTES) return total;
  throw new WireError('WIRE_BATCH_INVALID', `A record batch claims ${total} bytes; its header alone has 61.`);
};

const refuseOtherMagic = (bytes: Buffer, at: number): void => {
  const magic = bytes.readInt8(at + MAGIC_AT);
  if (magic === MAGIC) return;
  throw new WireError('WIRE_BATCH_MAGIC', `A record batch has format ${magic}; only format 2 is read.`);
};

/**
 * Reads the header of the batch at `at`. The records behind it need not be there. Throws `WIRE_BATCH_INCOMPLETE`,
 * `WIRE_BATCH_MAGIC` or `WIRE_BATCH_INVALID`.
 */
export const readBatchHeader = (bytes: Buffer, at: number): BatchHeader => {
  if (bytes.length - at < BATCH_HEADER_BYTES) {
    throw new WireError('WIRE_BATCH_INCOMPLETE', `Only ${bytes.length - at} bytes of a batch header are there.`);
  }
  const totalBytes = batchBytesAt(bytes, at) as number;
  refuseOtherMagic(bytes, at);
  const reader = new ByteReader(bytes, at);
  const baseOffset = reader.int64() as Offset;
  const batchLength = reader.int32();
  const partitionLeaderEpoch = reader.int32();
  reader.int8();
  const crc = reader.uint32();
  const attributes = reader.int16();
  return {
    baseOffset,
    batchLength,
    totalBytes,
    partitionLeaderEpoch,
    crc,
    attributes,
    compression: compressionOf(attributes),
    isTransactional: (attributes & ATTRIBUTE_TRANSACTIONAL) !== 0,
    isControl: (attributes & ATTRIBUTE_CONTROL) !== 0,
    hasAppendTime: (attributes & ATTRIBUTE_APPEND_TIME) !== 0,
    lastOffsetDelta: reader.int32(),
    baseTimestamp: reader.int64(),
    maxTimestamp: reader.int64(),
    producerId: reader.int64(),
    producerEpoch: reader.int16(),
    baseSequence: reader.int32(),
    recordCount: reader.int32(),
  };
};

/** Whether the checksum of the batch at `at` fits its bytes; the whole batch must be there. */
export const batchCrcOk = (bytes: Buffer, at: number, header: BatchHeader): boolean =>
  crc32c(bytes.subarray(at + CHECKED_FROM, at + header.totalBytes)) === header.crc;

/** Computes the checksum of a finished batch and writes it in. */
export const sealBatch = (bytes: Buffer, at: number, totalBytes: number): void => {
  bytes.writeUInt32BE(crc32c(bytes.subarray(at + CHECKED_FROM, at + totalBytes)), at + CRC_AT);
};

/** Places a batch in a log, in place; the checksum stays right because it does not cover these fields. */
export const rewriteBatchOffset = (
  bytes: Buffer,
  at: number,
  baseOffset: number,
  partitionLeaderEpoch: number,
): void => {
  writeInt64(bytes, at, baseOffset);
  bytes.writeInt32BE(partitionLeaderEpoch, at + LEADER_EPOCH_AT);
};

/** Writes a safe integer as 64 bits at a position. */
export const writeInt64 = (bytes: Buffer, at: number, value: number): void => {
  if (!Number.isSafeInteger(value)) {
    throw new WireError('WIRE_INT64_UNSAFE', `${value} cannot be written as an exact 64-bit integer.`);
  }
  const high = Math.floor(value / 0x1_0000_0000);
  bytes.writeInt32BE(high, at);
  bytes.writeUInt32BE(value - high * 0x1_0000_0000, at + 4);
};
