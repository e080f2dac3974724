// Record batches, format v2, both ways. Encoding allocates once; decoding yields views of the input, or of what was decompressed.
import type { Offset } from '../vocabulary.ts';
import {
  ATTRIBUTE_APPEND_TIME,
  ATTRIBUTE_CONTROL,
  ATTRIBUTE_TRANSACTIONAL,
  BATCH_HEADER_BYTES,
  BATCH_PREFIX_BYTES,
  type BatchHeader,
  batchBytesAt,
  batchCrcOk,
  NO_PRODUCER,
  readBatchHeader,
  rewriteBatchOffset,
  sealBatch,
  writeInt64,
} from './batch-header.ts';
import { ByteReader } from './byte-reader.ts';
import { decompress } from './compression.ts';
import { putVarint, varintBytes } from './varint.ts';
import { WireError } from './wire-error.ts';

export {
  BATCH_HEADER_BYTES,
  type BatchHeader,
  batchBytesAt,
  batchCrcOk,
  type Compression,
  NO_PRODUCER,
  readBatchHeader,
  rewriteBatchOffset,
} from './batch-header.ts';

export interface RecordHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** A record to be sent. */
export interface RecordInput {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly headers?: readonly RecordHeader[];
}

/** A record as it was read; key, value and header values are views of the fetched or decompressed bytes. */
export interface WireRecord {
  readonly offset: Offset;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly { readonly key: string; readonly value: Buffer | null }[];
}

/** What `encodeRecordBatch` makes a batch of; offsets count on from `baseOffset`, sequences from `baseSequence`. */
export interface RecordBatchInput {
  readonly records: readonly RecordInput[];
  readonly baseOffset?: number;
  readonly partitionLeaderEpoch?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  readonly hasAppendTime?: boolean;
}

/**
 * A batch as it was read. With `crcOk` false nothing in it can be believed: `records` is what can be read of it, from the
 * first on, and `recordCount` and `lastOffsetDelta` are held within what the bytes have room for.
 */
export interface RecordBatch extends BatchHeader {
  readonly crcOk: boolean;
  readonly records: readonly WireRecord[];
  /** Why nothing can be read of a batch with a right checksum: its producer wrote it so. */
  readonly unreadable?: WireError;
}

/** The least a record can occupy: its length, attributes, two deltas, two lengths and the count of headers. */
const MIN_RECORD_BYTES = 7;
/** The least a header can occupy: two lengths. */
const MIN_HEADER_BYTES = 2;

const nullableBytes = (bytes: Uint8Array | null): number =>
  bytes === null ? 1 : varintBytes(bytes.length) + bytes.length;

const headersBytes = (headers: readonly RecordHeader[]): number => {
  let sum = varintBytes(headers.length);
  for (const header of headers) {
    const keyBytes = Buffer.byteLength(header.key, 'utf8');
    sum += varintBytes(keyBytes) + keyBytes + nullableBytes(header.value);
  }
  return sum;
};

const NO_HEADERS: readonly RecordHeader[] = [];

/** Bytes of a record behind its own length. */
const recordBytes = (record: RecordInput, offsetDelta: number, timestampDelta: number): number =>
  1 +
  varintBytes(timestampDelta) +
  varintBytes(offsetDelta) +
  nullableBytes(record.key) +
  nullableBytes(record.value) +
  headersBytes(record.headers ?? NO_HEADERS);

const putNullable = (target: Buffer, at: number, bytes: Uint8Array | null): number => {
  if (bytes === null) return putVarint(target, at, -1);
  const start = putVarint(target, at, bytes.length);
  target.set(bytes, start);
  return start + bytes.length;
};

const putHeaders = (target: Buffer, at: number, headers: readonly RecordHeader[]): number => {
  let next = putVarint(target, at, headers.length);
  for (const header of headers) {
    const keyBytes = Buffer.byteLength(header.key, 'utf8');
    next = putVarint(target, next, keyBytes);
    target.write(header.key, next, keyBytes, 'utf8');
    next = putNullable(target, next + keyBytes, header.value);
  }
  return next;
};

const attributesOf = (batch: RecordBatchInput): number =>
  (batch.isTransactional === true ? ATTRIBUTE_TRANSACTIONAL : 0) |
  (batch.isControl === true ? ATTRIBUTE_CONTROL : 0) |
  (batch.hasAppendTime === true ? ATTRIBUTE_APPEND_TIME : 0);

const putBatchHeader = (target: Buffer, batch: RecordBatchInput, baseTimestamp: number, maxTimestamp: number): void => {
  rewriteBatchOffset(target, 0, batch.baseOffset ?? 0, batch.partitionLeaderEpoch ?? -1);
  target.writeInt32BE(target.length - BATCH_PREFIX_BYTES, 8);
  target[16] = 2;
  target.writeInt16BE(attributesOf(batch), 21);
  target.writeInt32BE(batch.records.length - 1, 23);
  writeInt64(target, 27, baseTimestamp);
  writeInt64(target, 35, maxTimestamp);
  writeInt64(target, 43, batch.producerId ?? NO_PRODUCER);
  target.writeInt16BE(batch.producerEpoch ?? NO_PRODUCER, 51);
  target.writeInt32BE(batch.baseSequence ?? NO_PRODUCER, 53);
  target.writeInt32BE(batch.records.length, 57);
};

/** One uncompressed batch of at least one record, ready to be sent or stored. */
export const encodeRecordBatch = (batch: RecordBatchInput): Buffer => {
  const { records } = batch;
  const baseTimestamp = records[0]?.timestamp;
  if (baseTimestamp === undefined) throw new WireError('WIRE_VALUE_UNENCODABLE', 'A record batch needs a record.');
  const sizes: number[] = [];
  let total = BATCH_HEADER_BYTES;
  let maxTimestamp = baseTimestamp;
  records.forEach((record, index) => {
    const size = recordBytes(record, index, record.timestamp - baseTimestamp);
    sizes.push(size);
    total += varintBytes(size) + size;
    maxTimestamp = Math.max(maxTimestamp, record.timestamp);
  });
  const target = Buffer.allocUnsafe(total);
  putBatchHeader(target, batch, baseTimestamp, maxTimestamp);
  let at = BATCH_HEADER_BYTES;
  records.forEach((record, index) => {
    at = putVarint(target, at, sizes[index] as number);
    target[at] = 0;
    at = putVarint(target, at + 1, record.timestamp - baseTimestamp);
    at = putVarint(target, at, index);
    at = putNullable(target, at, record.key);
    at = putNullable(target, at, record.value);
    at = putHeaders(target, at, record.headers ?? NO_HEADERS);
  });
  sealBatch(target, 0, total);
  return target;
};

const readHeaders = (reader: ByteReader): WireRecord['headers'] => {
  const count = reader.varint();
  if (count === 0) return [];
  if (count < 0) throw new WireError('WIRE_BATCH_INVALID', `A record claims ${count} headers.`);
  reader.checkCount(count, MIN_HEADER_BYTES);
  const headers: { key: string; value: Buffer | null }[] = [];
  for (let index = 0; index < count; index++) {
    const key = reader.text(reader.varint());
    if (key === null) throw new WireError('WIRE_BATCH_INVALID', 'A record header has no key.');
    headers.push({ key, value: reader.view(reader.varint()) });
  }
  return headers;
};

const readRecord = (reader: ByteReader, header: BatchHeader): WireRecord => {
  const length = reader.varint();
  const end = reader.position + length;
  reader.int8();
  const timestamp = header.baseTimestamp + reader.varlong();
  const offset = header.baseOffset + reader.varint();
  const record: WireRecord = {
    offset: offset as Offset,
    timestamp: header.hasAppendTime ? header.maxTimestamp : timestamp,
    key: reader.view(reader.varint()),
    value: reader.view(reader.varint()),
    headers: readHeaders(reader),
  };
  if (reader.position === end && Number.isSafeInteger(offset) && Number.isSafeInteger(timestamp)) return record;
  throw new WireError('WIRE_BATCH_INVALID', `The record at offset ${offset} does not have the length it claims.`);
};

/** The bytes of the records behind a header, as they were before they were compressed. */
const recordsReader = (bytes: Buffer, at: number, header: BatchHeader): ByteReader => {
  const [from, to] = [at + BATCH_HEADER_BYTES, at + header.totalBytes];
  if (header.compression === 'none') return new ByteReader(bytes, from, to);
  return new ByteReader(decompress(header.compression, bytes.subarray(from, to)));
};

/**
 * The records of the batch at `at`, which must be whole and have a right checksum. Throws `WIRE_BATCH_INVALID`, an error of
 * `decompress` or another `WireError` for records that do not add up.
 */
const decodeRecords = (bytes: Buffer, at: number, header: BatchHeader): readonly WireRecord[] => {
  const reader = recordsReader(bytes, at, header);
  if (header.recordCount < 0)
    throw new WireError('WIRE_BATCH_INVALID', `A batch claims ${header.recordCount} records.`);
  reader.checkCount(header.recordCount, MIN_RECORD_BYTES);
  const records: WireRecord[] = [];
  for (let index = 0; index < header.recordCount; index++) records.push(readRecord(reader, header));
  if (reader.remaining === 0) return records;
  throw new WireError('WIRE_BATCH_INVALID', `${reader.remaining} bytes follow the last record of a batch.`);
};

/** What to do with a batch that is not as it should be: throw, or return it with what is wrong with it. */
export type BatchPolicy = 'throw' | 'report';

/** With a right checksum. */
const decodeIntact = (bytes: Buffer, at: number, header: BatchHeader, onUnreadable: BatchPolicy): RecordBatch => {
  try {
    return { ...header, crcOk: true, records: decodeRecords(bytes, at, header) };
  } catch (thrown) {
    if (onUnreadable === 'throw' || !(thrown instanceof WireError)) throw thrown;
    return { ...header, crcOk: true, records: [], unreadable: thrown };
  }
};

const decodeBatch = (bytes: Buffer, at: number, onBadCrc: BatchPolicy, onUnreadable: BatchPolicy): RecordBatch => {
  const header = readBatchHeader(bytes, at);
  const crcOk = batchCrcOk(bytes, at, header);
  if (!crcOk && onBadCrc === 'throw') {
    throw new WireError('WIRE_CRC_MISMATCH', `The checksum of the batch at offset ${header.baseOffset} is wrong.`);
  }
  if (crcOk) return decodeIntact(bytes, at, header, onUnreadable);
  return { ...header, ...plausibleCounts(header), crcOk, records: legibleRecords(bytes, at, header) };
};

/** Counts of a damaged batch that cost nobody memory and lead nobody far astray. */
const plausibleCounts = (header: BatchHeader): Pick<BatchHeader, 'recordCount' | 'lastOffsetDelta'> => {
  const most = Math.floor((header.totalBytes - BATCH_HEADER_BYTES) / MIN_RECORD_BYTES);
  const within = (count: number, limit: number): number => Math.max(0, Math.min(count, limit));
  return {
    recordCount: within(header.recordCount, most),
    lastOffsetDelta: within(header.lastOffsetDelta, most - 1),
  };
};

/** The records of a damaged batch up to the first that cannot be read: to look at, not to believe. */
const legibleRecords = (bytes: Buffer, at: number, header: BatchHeader): readonly WireRecord[] => {
  const records: WireRecord[] = [];
  if (header.compression !== 'none') return records;
  const reader = new ByteReader(bytes, at + BATCH_HEADER_BYTES, at + header.totalBytes);
  try {
    for (let index = 0; index < header.recordCount; index++) {
      const record = readRecord(reader, header);
      if (record.offset !== header.baseOffset + index) break;
      records.push(record);
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return records;
};

/**
 * All whole batches in `bytes`, in their order. A broker may cut the last one short: `incompleteBytes` counts what is left
 * over, and the next fetch brings it again. A wrong checksum is thrown as `WIRE_CRC_MISMATCH` or reported as `crcOk: false`, records
 * that cannot be read are thrown as what is wrong with them or reported as `unreadable`.
 */
export const decodeRecordBatches = (
  bytes: Buffer,
  onBadCrc: BatchPolicy = 'throw',
  onUnreadable: BatchPolicy = 'throw',
): { readonly batches: readonly RecordBatch[]; readonly incompleteBytes: number } => {
  const batches: RecordBatch[] = [];
  let at = 0;
  for (;;) {
    const total = batchBytesAt(bytes, at);
    if (total === undefined || bytes.length - at < total) return { batches, incompleteBytes: bytes.length - at };
    batches.push(decodeBatch(bytes, at, onBadCrc, onUnreadable));
    at += total;
  }
};
