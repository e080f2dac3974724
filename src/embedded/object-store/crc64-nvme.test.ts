import { describe, expect, test } from 'vitest';
import { Crc64Nvme } from './crc64-nvme.ts';

const sumOf = (...pieces: readonly string[]): string => {
  const sum = new Crc64Nvme();
  for (const piece of pieces) sum.add(Buffer.from(piece));
  return Buffer.from(sum.end(), 'base64').toString('hex');
};

describe('CRC-64/NVME', () => {
  test('has the check value of its definition', () => {
    expect(sumOf('123456789')).toBe('ae8b14860a799888');
    expect(sumOf('')).toBe('0000000000000000');
  });

  test('of pieces is that of the whole', () => {
    expect(sumOf('1234', '', '56789')).toBe(sumOf('123456789'));
  });
});
