import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareKeys, SortedKeys } from './key-order.ts';

const key = fc.string({ unit: 'binary', maxLength: 12 });
const sign = (value: number): number => Math.sign(value);

describe('the order of keys', () => {
  test('is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(key, key, (left, right) => {
        expect(sign(compareKeys(left, right))).toBe(sign(Buffer.compare(Buffer.from(left), Buffer.from(right))));
      }),
      { seed: 1 },
    );
    expect(compareKeys('\u{ffee}', '\u{10000}')).toBeLessThan(0);
  });

  test('is kept by additions and removals', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), key)), (changes) => {
        const sorted = new SortedKeys();
        const expected = new Set<string>();
        for (const [adds, name] of changes) {
          if (adds) {
            sorted.add(name);
            expected.add(name);
          } else {
            sorted.remove(name);
            expected.delete(name);
          }
        }
        const kept = Array.from({ length: sorted.size }, (_, index) => sorted.at(index));
        expect(kept).toEqual([...expected].sort(compareKeys));
      }),
      { seed: 2 },
    );
  });
});
