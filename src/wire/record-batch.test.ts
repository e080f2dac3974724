import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealBatch } from './batch-header.ts';
import {
  batchCrcOk,
  decodeRecordBatches,
  encodeRecordBatch,
  type RecordInput,
  readBatchHeader,
  rewriteBatchOffset,
} from './record-batch.ts';
import { WireError } from './wire-error.ts';

const content = fc.option(fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)));
const recordArbitrary: fc.Arbitrary<RecordInput> = fc.record({
  key: content,
  value: content,
  timestamp: fc.integer({ min: 0, max: 2 ** 45 }),
  headers: fc.array(fc.record({ key: fc.string({ maxLength: 9 }), value: content }), { maxLength: 3 }),
});

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
  return 'nothing thrown';
};

/** The same bytes with a checksum that fits them. */
const resealed = (bytes: Buffer): Buffer => {
  sealBatch(bytes, 0, bytes.length);
  return bytes;
};

const recompressed = (batch: Buffer, codec: number): Buffer => {
  const bytes = Buffer.from(batch);
  bytes[22] = codec;
  return resealed(bytes);
};

/** Written by the Java client's MemoryRecordsBuilder (Apache Kafka 4.1.2): two records, see the test. */
const FOREIGN_BATCH =
  '0000000000000064000000450000000202b28e10340000000000010000018bcfe568000000018bcfe56805' +
  '00000000000000050001000000090000000218000000026b027602026802780c000a02010100';

const record = (value: string): RecordInput => ({ key: null, value: Buffer.from(value), timestamp: 1000 });

describe('record batches', () => {
  it('come back as they were encoded, with offsets counted on', () => {
    fc.assert(
      fc.property(
        fc.array(recordArbitrary, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 2 ** 50 }),
        fc.integer({ min: -1, max: 2 ** 40 }),
        (records, baseOffset, producerId) => {
          const bytes = encodeRecordBatch({ records, baseOffset, producerId, producerEpoch: 3, baseSequence: 7 });
          const { batches, incompleteBytes } = decodeRecordBatches(bytes);
          expect(incompleteBytes).toBe(0);
          expect(batches).toHaveLength(1);
          expect(batches[0]).toMatchObject({
            baseOffset,
            producerId,
            producerEpoch: 3,
            baseSequence: 7,
            recordCount: records.length,
            lastOffsetDelta: records.length - 1,
            crcOk: true,
          });
          expect(batches[0]?.records).toEqual(records.map((sent, index) => ({ ...sent, offset: baseOffset + index })));
        },
      ),
    );
  });

  it('match a batch that another implementation wrote', () => {
    const foreign = Buffer.from(FOREIGN_BATCH, 'hex');
    const { batches } = decodeRecordBatches(foreign);
    expect(batches[0]).toMatchObject({ baseOffset: 100, partitionLeaderEpoch: 2, producerId: 5, producerEpoch: 1 });
    const again = encodeRecordBatch({
      records: [
        {
          key: Buffer.from('k'),
          value: Buffer.from('v'),
          timestamp: 1700000000000,
          headers: [{ key: 'h', value: Buffer.from('x') }],
        },
        { key: null, value: null, timestamp: 1700000000005 },
      ],
      baseOffset: 100,
      partitionLeaderEpoch: 2,
      producerId: 5,
      producerEpoch: 1,
      baseSequence: 9,
    });
    expect(again.toString('hex')).toBe(foreign.toString('hex'));
  });

  it('keep their checksum when they are placed in a log', () => {
    const bytes = encodeRecordBatch({ records: [record('a'), record('b')] });
    rewriteBatchOffset(bytes, 0, 5_000_000_000, 7);
    const header = readBatchHeader(bytes, 0);
    expect(header).toMatchObject({ baseOffset: 5_000_000_000, partitionLeaderEpoch: 7 });
    expect(batchCrcOk(bytes, 0, header)).toBe(true);
  });

  it('lose their checksum when any byte behind it changes', () => {
    const whole = encodeRecordBatch({ records: [record('a'), record('b')] });
    for (let at = 21; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      // A 64-bit field of the header may turn out too large before the checksum is looked at.
      expect(codeOf(() => decodeRecordBatches(bytes))).toMatch(/^WIRE_(CRC_MISMATCH|INT64_UNSAFE)$/);
    }
  });

  it('are returned with what can still be read when a wrong checksum is to be reported', () => {
    const whole = encodeRecordBatch({ records: [record('abc'), record('def')] });
    const damagedValue = Buffer.from(whole);
    damagedValue[whole.indexOf('def')] = 0;
    const [legible] = decodeRecordBatches(damagedValue, 'report').batches;
    expect(legible).toMatchObject({ crcOk: false, recordCount: 2 });
    expect(legible?.records.map(({ value }) => value?.toString('latin1'))).toEqual(['abc', '\u0000ef']);
    const damagedLength = Buffer.from(whole);
    damagedLength[61] = 0xff;
    expect(decodeRecordBatches(damagedLength, 'report').batches[0]).toMatchObject({ crcOk: false, records: [] });
  });

  it('may be cut short at the end of an answer', () => {
    const first = encodeRecordBatch({ records: [record('a')] });
    const second = encodeRecordBatch({ records: [record('b')], baseOffset: 1 });
    const both = Buffer.concat([first, second]);
    for (let cut = 0; cut < both.length; cut++) {
      const { batches, incompleteBytes } = decodeRecordBatches(both.subarray(0, cut));
      expect(batches).toHaveLength(cut < first.length ? 0 : 1);
      expect(incompleteBytes).toBe(cut < first.length ? cut : cut - first.length);
    }
  });

  it('keep a legible header when compressed, and tell records that are not', () => {
    const bytes = encodeRecordBatch({ records: [record('a')] });
    const compressed = recompressed(bytes, 4);
    expect(readBatchHeader(compressed, 0).compression).toBe('zstd');
    expect(() => decodeRecordBatches(compressed)).toThrow(/zstd/);
    expect(codeOf(() => decodeRecordBatches(compressed))).toBe('WIRE_COMPRESSED_INVALID');
  });

  it('refuse old formats, hostile lengths, unknown codecs and counts without bytes', () => {
    const good = encodeRecordBatch({ records: [record('a')] });
    const changed = (change: (bytes: Buffer) => void): Buffer => {
      const bytes = Buffer.from(good);
      change(bytes);
      return bytes;
    };
    expect(
      codeOf(() =>
        readBatchHeader(
          changed((bytes) => bytes.writeInt8(1, 16)),
          0,
        ),
      ),
    ).toBe('WIRE_BATCH_MAGIC');
    expect(
      codeOf(() =>
        readBatchHeader(
          changed((bytes) => bytes.writeInt32BE(-5, 8)),
          0,
        ),
      ),
    ).toBe('WIRE_BATCH_INVALID');
    expect(codeOf(() => decodeRecordBatches(changed((bytes) => bytes.writeInt32BE(3, 8))))).toBe('WIRE_BATCH_INVALID');
    expect(codeOf(() => readBatchHeader(recompressed(good, 7), 0))).toBe('WIRE_BATCH_INVALID');
    expect(codeOf(() => readBatchHeader(good.subarray(0, 60), 0))).toBe('WIRE_BATCH_INCOMPLETE');
    expect(codeOf(() => encodeRecordBatch({ records: [] }))).toBe('WIRE_VALUE_UNENCODABLE');
    const many = changed((bytes) => bytes.writeInt32BE(0x7fffffff, 57));
    expect(codeOf(() => decodeRecordBatches(resealed(many)))).toBe('WIRE_COUNT_TOO_LARGE');
  });
});
