// A takeover that accepts a torn slot still becomes an owner: what it made of the slot can be stepped through, wherever it was torn.
import { describe, expect, it } from 'vitest';
import { encodeRecordBatch } from '../../wire/record-batch.ts';
import { batchesIn } from './data-object.ts';
import { kafkaBatchFormat } from './kafka-batch-format.ts';
import { encodeSlot } from './slot.ts';
import { acceptTorn } from './torn-slot.ts';

const BASE_OFFSET = 40;
const RECORDS = 3;
const records = [1, 2, 3].map((value) => ({ key: null, value: Buffer.alloc(40, value), timestamp: 1000 }));
const batch = (baseOffset: number): Buffer =>
  encodeRecordBatch({ baseOffset, producerId: 7, producerEpoch: 1, baseSequence: baseOffset, records });

const endOffset = BASE_OFFSET + 2 * RECORDS;
const header = { epoch: 3, nonce: 'n', slot: 0, baseOffset: BASE_OFFSET, endOffset };
const parts = [batch(BASE_OFFSET), batch(BASE_OFFSET + RECORDS)];
const whole = encodeSlot(header, parts);
const sizes = parts.map(({ length }) => length) as [number, number];

/** Zeros where the rest of the slot would be, as a volume reads them. */
const tornAt = (bytes: number): Uint8Array => {
  const torn = new Uint8Array(whole.length);
  torn.set(whole.subarray(0, bytes));
  return torn;
};
const accepted = (bytes: number) => acceptTorn(kafkaBatchFormat, tornAt(bytes), 'k');

describe('a torn slot that is accepted', () => {
  it('is what was written where nothing is missing', () => {
    const batches = new Uint8Array(Buffer.concat(parts));
    expect(acceptTorn(kafkaBatchFormat, whole, 'k')).toEqual({ ...header, batches, isShort: false });
  });

  it('ends at its last readable batch header, and is none where there is no such header', () => {
    const firstBatchAt = whole.length - sizes[0] - sizes[1];
    const headerOf = (number: 0 | 1): number => firstBatchAt + (number === 0 ? 0 : sizes[0]) + 61;
    expect(accepted(firstBatchAt)).toBeUndefined();
    expect(accepted(10)).toBeUndefined();
    expect(accepted(headerOf(0))).toMatchObject({ endOffset: BASE_OFFSET + RECORDS, isShort: true });
    expect(accepted(firstBatchAt + sizes[0])?.batches.length).toBe(sizes[0]);
    expect(accepted(headerOf(1))).toMatchObject({ endOffset, isShort: false });
  });

  it('can be stepped through to its end, wherever it was torn', () => {
    const wrong: number[] = [];
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      const slot = accepted(bytes);
      if (slot === undefined) continue;
      const found = batchesIn(kafkaBatchFormat, slot.batches).map((each) => each.header);
      const end = found.reduce((reached, { recordCount }) => reached + recordCount, BASE_OFFSET);
      if (found.length === 0 || end !== slot.endOffset) wrong.push(bytes);
    }
    expect(wrong).toEqual([]);
  });
});
