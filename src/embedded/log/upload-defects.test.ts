// The two defects of the upload, on real batches: what a reader of the object would find wrong, and what not.
import { describe, expect, it } from 'vitest';
import { decodeRecordBatches, encodeRecordBatch } from '../../wire/record-batch.ts';
import { joinBytes } from './data-object.ts';
import { kafkaBatchFormat } from './kafka-batch-format.ts';
import { spoilUpload } from './upload-defects.ts';

const VALUE_BYTES = 100;

/** An object of batches of two records; each value is filled with the batch's number. */
const objectOf = (producerIds: readonly number[]): Buffer =>
  Buffer.from(
    joinBytes(
      producerIds.map((producerId, number) => {
        const value = Buffer.alloc(VALUE_BYTES, number);
        const records = [1, 2].map(() => ({ key: null, value, timestamp: 0 }));
        return encodeRecordBatch({ records, producerId, baseOffset: number * 2, partitionLeaderEpoch: number });
      }),
    ),
  );

const placed = (bytes: Buffer): readonly (readonly [offset: number, epoch: number, number: number | undefined])[] =>
  decodeRecordBatches(bytes).batches.map((batch) => [
    batch.baseOffset,
    batch.partitionLeaderEpoch,
    batch.records[0]?.value?.[0],
  ]);

describe('spoilUpload', () => {
  it('changes nothing without a defect', () => {
    const bytes = objectOf([7, 7]);
    spoilUpload(new Set(), kafkaBatchFormat, bytes);
    expect(bytes).toEqual(objectOf([7, 7]));
  });

  it('corrupt-upload flips one bit within the last value, so that only the last checksum is wrong', () => {
    const bytes = objectOf([7, 7]);
    spoilUpload(new Set(['corrupt-upload']), kafkaBatchFormat, bytes);
    const whole = objectOf([7, 7]);
    expect([...bytes].filter((byte, at) => byte !== whole[at])).toHaveLength(1);
    expect(decodeRecordBatches(bytes, 'report').batches.map(({ crcOk }) => crcOk)).toEqual([true, false]);
  });

  it('reorder-batches swaps two batches of one producer and leaves offsets, epochs and checksums in order', () => {
    const bytes = objectOf([1, 2, 3, 2, 4]);
    spoilUpload(new Set(['reorder-batches']), kafkaBatchFormat, bytes);
    expect(placed(bytes)).toEqual([
      [0, 0, 0],
      [2, 1, 3],
      [4, 2, 2],
      [6, 3, 1],
      [8, 4, 4],
    ]);
  });

  it('reorder-batches finds nothing to do when no producer has two', () => {
    const bytes = objectOf([1, 2, 3]);
    spoilUpload(new Set(['reorder-batches']), kafkaBatchFormat, bytes);
    expect(bytes).toEqual(objectOf([1, 2, 3]));
  });
});
