import { describe, expect, it } from 'vitest';
import { nextSteadyPort, portsOf, steadyRange } from './ports.ts';

describe('ports that stay free', () => {
  it.each([
    ['Linux as it is delivered', 32_768, 60_999, { first: 12_000, last: 31_999 }],
    ['the range the authorities set aside', 49_152, 65_535, { first: 12_000, last: 31_999 }],
    ['a range that begins low', 16_000, 65_535, { first: 2_000, last: 15_999 }],
    ['a range that leaves room above only', 1_024, 50_000, { first: 50_001, last: 65_535 }],
    ['a range that leaves room nowhere', 1_024, 65_535, { first: 12_000, last: 31_999 }],
    ['a range below ours', 2_000, 9_000, { first: 12_000, last: 31_999 }],
  ])('lie outside the range of outgoing connections: %s', (_, low, high, expected) => {
    expect(steadyRange(low, high)).toEqual(expected);
  });

  it('come in turn, begin again at the end, and differ between processes that were started one after the other', () => {
    const range = { first: 100, last: 1_099 };
    const take = (processId: number, count: number): readonly number[] => {
      const ports = portsOf(range, processId);
      return Array.from({ length: count }, () => ports.next().value);
    };
    expect(take(1, 3)).toEqual([311, 312, 313]);
    expect(take(2, 1)).toEqual([522]);
    expect(new Set(take(3, 1_000)).size).toBe(1_000);
    expect(take(3, 1_001).at(-1)).toBe(take(3, 1)[0]);
  });

  it('are not drawn twice by one process', () => {
    const ports = Array.from({ length: 500 }, () => nextSteadyPort());
    expect(new Set(ports).size).toBe(500);
  });
});
