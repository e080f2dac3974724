import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRecordBatch, type RecordBatchInput } from '../../../wire/record-batch.ts';
import { KAFKA } from '../../error-codes.ts';
import { acceptBatch } from './accept-batch.ts';

const LIMIT = 100_000;
const batch = (changes: Partial<RecordBatchInput> = {}): Buffer =>
  encodeRecordBatch({
    records: [1, 2, 3].map((value) => ({ key: null, value: Buffer.from(`${value}`), timestamp: value })),
    ...changes,
  });
const codeOf = (records: Buffer | null, limit = LIMIT): number => {
  const accepted = acceptBatch(records, limit);
  return 'code' in accepted ? accepted.code : KAFKA.NONE;
};

describe('a batch', () => {
  it('that is whole is taken, as a copy, with its header read', () => {
    const records = batch({ producerId: 7, producerEpoch: 1, baseSequence: 40 });
    const accepted = acceptBatch(records, LIMIT);
    if ('code' in accepted) throw new Error(accepted.message);
    expect(accepted.header).toMatchObject({ recordCount: 3, producerId: 7, producerEpoch: 1, baseSequence: 40 });
    expect(accepted.bytes).toEqual(records);
    records.fill(0);
    expect(accepted.bytes).not.toEqual(records);
  });

  it.each([
    ['is not there', null, KAFKA.INVALID_RECORD],
    ['is empty', Buffer.alloc(0), KAFKA.INVALID_RECORD],
    ['has only half a header', batch().subarray(0, 30), KAFKA.CORRUPT_MESSAGE],
    ['is cut short', batch().subarray(0, 70), KAFKA.CORRUPT_MESSAGE],
    ['is followed by another', Buffer.concat([batch(), batch()]), KAFKA.INVALID_RECORD],
    ['is of a control kind', batch({ isControl: true }), KAFKA.INVALID_RECORD],
    ['is transactional', batch({ isTransactional: true }), KAFKA.INVALID_RECORD],
    ['has a producer and no sequence', batch({ producerId: 1, producerEpoch: 0 }), KAFKA.INVALID_RECORD],
  ])('that %s is refused', (_, records, code) => {
    expect(codeOf(records)).toBe(code);
  });

  it('of an old format is refused by that name', () => {
    const records = batch();
    records[16] = 1;
    expect(codeOf(records)).toBe(KAFKA.UNSUPPORTED_FOR_MESSAGE_FORMAT);
  });

  it('that is larger than the topic allows is refused, and one of just that size is not', () => {
    const records = batch();
    expect(codeOf(records, records.length - 1)).toBe(KAFKA.MESSAGE_TOO_LARGE);
    expect(codeOf(records, records.length)).toBe(KAFKA.NONE);
  });

  it('with any bit flipped is refused, unless the bit is of what the broker itself writes', () => {
    const intact = batch();
    fc.assert(
      fc.property(fc.nat(intact.length * 8 - 1), (bit) => {
        const records = Buffer.from(intact);
        records[bit >> 3] = (records[bit >> 3] as number) ^ (1 << (bit & 7));
        // Base offset and leader epoch are the broker's to write.
        const isOurs = bit >> 3 < 8 || (bit >> 3 >= 12 && bit >> 3 < 16);
        expect(codeOf(records) !== KAFKA.NONE || isOurs).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('of random bytes never gets through and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(codeOf(Buffer.from(bytes))).not.toBe(KAFKA.NONE);
      }),
      { numRuns: 500 },
    );
  });
});
