import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatSize,
  parseDuration,
  parsePercent,
  parseRate,
  parseSize,
  UNIT_PATTERNS,
  type UnitReading,
} from './units.ts';

const value = (reading: UnitReading): number => {
  if (!reading.ok) throw new Error(reading.problem.message);
  return reading.value;
};
const kind = (reading: UnitReading): string => (reading.ok ? `read as ${reading.value}` : reading.problem.kind);

describe('units', () => {
  it('reads durations as milliseconds', () => {
    expect(['200ms', '5s', '1.5s', '2m', '1h', ' 10 s '].map((text) => value(parseDuration(text)))).toEqual([
      200, 5000, 1500, 120_000, 3_600_000, 10_000,
    ]);
  });

  it('reads sizes as bytes and keeps decimal and binary units apart', () => {
    expect(['512B', '64KiB', '10MB', '1.5MiB', '2GiB'].map((text) => value(parseSize(text)))).toEqual([
      512, 65_536, 10_000_000, 1_572_864, 2_147_483_648,
    ]);
  });

  it('reads rates for each second and percentages as they stand', () => {
    expect([value(parseRate('2000/s')), value(parseRate('30/m')), value(parsePercent('12.5%'))]).toEqual([
      2000, 0.5, 12.5,
    ]);
  });

  it.each([
    [null, 'Nothing is no duration.'],
    [[5], 'A list is no duration.'],
    [{ s: 5 }, 'A mapping is no duration.'],
    [true, 'true is no duration.'],
    [Number.NaN, 'NaN is no duration.'],
    ['soon', '"soon" is no duration.'],
  ])('says of %j what it is', (written, message) => {
    expect(parseDuration(written)).toMatchObject({ ok: false, problem: { kind: 'not-a-quantity', message } });
  });

  it('refuses a bare number, as number and as text, and names the units', () => {
    for (const written of [10, '10', '0.5']) expect(kind(parseDuration(written))).toBe('bare-number');
    const reading = parseDuration(10);
    expect(reading.ok ? '' : reading.problem.hint).toContain('(ms, s, m, h), like 5s');
  });

  it('refuses units of another quantity and units that only look alike', () => {
    expect(kind(parseDuration('10KiB'))).toBe('unknown-unit');
    expect(kind(parseDuration('10S'))).toBe('unknown-unit');
    expect(kind(parseSize('10kib'))).toBe('unknown-unit');
    expect(kind(parseRate('10s'))).toBe('unknown-unit');
    expect(kind(parseDuration('1e3s'))).toBe('unknown-unit');
    expect(kind(parseDuration('10constructor'))).toBe('unknown-unit');
  });

  it('refuses what is no quantity at all', () => {
    for (const written of [undefined, null, true, {}, [], '', 'soon', 'five s', '5 s s', NaN.toString()]) {
      expect(kind(parseDuration(written))).toBe('not-a-quantity');
    }
  });

  it('refuses negative, broken and endless values', () => {
    expect(kind(parseDuration('-1s'))).toBe('out-of-range');
    expect(kind(parseDuration('99999h'))).toBe('out-of-range');
    expect(kind(parseSize('0.3B'))).toBe('out-of-range');
    expect(kind(parseSize('99999999TiB'))).toBe('out-of-range');
    expect(kind(parsePercent('101%'))).toBe('out-of-range');
  });

  it('says quantities the way people do, and reads its own words', () => {
    expect([200, 1500, 90_000, 180_000].map(formatDuration)).toEqual(['200ms', '1.5s', '90s', '3m']);
    expect([12, 65_536, 1_572_864].map(formatSize)).toEqual(['12B', '64KiB', '1.5MiB']);
    expect(value(parseDuration(formatDuration(1500)))).toBe(1500);
  });

  it('offers editors a pattern that agrees with the reader', () => {
    expect(new RegExp(UNIT_PATTERNS.duration).test('5s')).toBe(true);
    expect(new RegExp(UNIT_PATTERNS.duration).test('5')).toBe(false);
    expect(new RegExp(UNIT_PATTERNS.size).test('64KiB')).toBe(true);
    expect(new RegExp(UNIT_PATTERNS.rate).test('2000/s')).toBe(true);
    expect(new RegExp(UNIT_PATTERNS.percent).test('5%')).toBe(true);
  });
});
