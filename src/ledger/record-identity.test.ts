import { describe, expect, it } from 'vitest';
import { IDENTITY_HEADER, parseRecord, RecordEncoder, smallestRecordBytes } from './record-identity.ts';

const lane = { run: 'r-7f3a', producer: 'p1', incarnation: 3, partition: 5, sizeBytes: 128 };
const id = { run: 'r-7f3a', producer: 'p1', incarnation: 3, partition: 5, seq: 77 };
const made = () => {
  const { key, value, headers } = new RecordEncoder(lane).encode(77);
  return { key: Buffer.from(key), value: Buffer.from(value), headers: new Map(Object.entries(headers)) };
};

describe('record identity', () => {
  it('reads back the id it wrote, with an intact checksum', () => {
    const { key, value, headers } = made();
    expect(value.length).toBe(128);
    expect(parseRecord(key, value, headers)).toEqual({ kind: 'record', id, checksumOk: true });
  });

  it('makes the same bytes for the same id and other bytes for the next', () => {
    const encoder = new RecordEncoder(lane);
    expect(encoder.encode(77).value.equals(made().value)).toBe(true);
    expect(encoder.encode(78).value.equals(made().value)).toBe(false);
  });

  it('carries sequence numbers above 32 bits', () => {
    const seq = 2 ** 40 + 5;
    const { key, value, headers } = new RecordEncoder(lane).encode(seq);
    expect(parseRecord(key, value, new Map(Object.entries(headers)))?.id.seq).toBe(seq);
  });

  it('notices every single flipped bit of the value and still knows whose record it is', () => {
    for (let bit = 0; bit < 128 * 8; bit++) {
      const { key, value, headers } = made();
      value[bit >> 3] = (value[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(parseRecord(key, value, headers)).toEqual({ kind: 'record', id, checksumOk: false });
    }
  });

  it('notices a value that was cut short', () => {
    for (const length of [0, 3, 8, 20, 127]) {
      const { key, value, headers } = made();
      expect(parseRecord(key, value.subarray(0, length), headers)).toEqual({ kind: 'record', id, checksumOk: false });
    }
  });

  it('notices a key or a header that is missing, changed or of another record', () => {
    const { key, value, headers } = made();
    const other = new RecordEncoder(lane).encode(78).key;
    expect(parseRecord(null, value, headers)?.checksumOk).toBe(false);
    expect(parseRecord(other, value, headers)).toEqual({ kind: 'record', id, checksumOk: false });
    expect(parseRecord(key, value, new Map())?.checksumOk).toBe(false);
    expect(parseRecord(key, value, new Map([[IDENTITY_HEADER, other]]))?.checksumOk).toBe(false);
  });

  it('takes records of others for foreign', () => {
    expect(parseRecord(null, null, new Map())).toBeUndefined();
    expect(parseRecord(Buffer.from('order-1'), Buffer.from('{"total":3}'), new Map())).toBeUndefined();
    expect(parseRecord(Buffer.alloc(0), Buffer.alloc(512), new Map())).toBeUndefined();
  });

  it('marks sentinels and canaries', () => {
    for (const kind of ['sentinel', 'canary'] as const) {
      const { key, value, headers } = new RecordEncoder({ ...lane, kind }).encode(0);
      expect(parseRecord(key, value, new Map(Object.entries(headers)))?.kind).toBe(kind);
    }
  });

  it('works at the smallest size and refuses anything below it', () => {
    const smallest = smallestRecordBytes(lane.run, lane.producer);
    const { key, value, headers } = new RecordEncoder({ ...lane, sizeBytes: smallest }).encode(1);
    expect(parseRecord(key, value, new Map(Object.entries(headers)))?.checksumOk).toBe(true);
    expect(() => new RecordEncoder({ ...lane, sizeBytes: smallest - 1 })).toThrow('cannot hold its identity');
  });

  it('refuses names that do not fit', () => {
    expect(() => new RecordEncoder({ ...lane, producer: 'ü' })).toThrow('producer name');
    expect(() => new RecordEncoder({ ...lane, run: '' })).toThrow('run id');
  });
});
