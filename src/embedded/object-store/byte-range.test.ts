import { describe, expect, test } from 'vitest';
import { byteRange, partRange } from './byte-range.ts';

describe('a range', () => {
  test.each([
    ['bytes=0-0', 10, { start: 0, end: 0 }],
    ['bytes=9-9', 10, { start: 9, end: 9 }],
    ['bytes=0-99', 10, { start: 0, end: 9 }],
    ['bytes=4-', 10, { start: 4, end: 9 }],
    ['bytes=-4', 10, { start: 6, end: 9 }],
    ['bytes=-99', 10, { start: 0, end: 9 }],
  ])('%s of %i bytes is served', (header, sizeBytes, range) => {
    expect(byteRange(header, sizeBytes)).toEqual(range);
  });

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('%s of 10 bytes holds no byte', (header) => {
    expect(() => byteRange(header, 10)).toThrow(expect.objectContaining({ s3Code: 'InvalidRange', status: 416 }));
  });

  test.each(['bytes=-1', 'bytes=0-'])('%s of an empty object holds no byte', (header) => {
    expect(() => byteRange(header, 0)).toThrow(expect.objectContaining({ status: 416 }));
  });

  test.each([undefined, 'bytes=5-4', 'bytes=0-1,3-4', 'bytes=-', 'lines=0-1', 'bytes=a-b'])(
    '%s means the whole object',
    (header) => {
      expect(byteRange(header, 10)).toBeUndefined();
    },
  );
});

describe('a part by its number', () => {
  test('is its bytes, and one that is empty is the whole of nothing', () => {
    expect(partRange(1, [5, 7])).toEqual({ start: 0, end: 4 });
    expect(partRange(2, [5, 7])).toEqual({ start: 5, end: 11 });
    expect(partRange(1, [0])).toBeUndefined();
  });

  test('that is not there is refused', () => {
    expect(() => partRange(3, [5, 7])).toThrow(expect.objectContaining({ s3Code: 'InvalidPartNumber', status: 416 }));
  });
});
