import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RangeSet } from './range-set.ts';

it('holds what a set of numbers holds, and tells each number as new once', () => {
  const stretch = fc.tuple(fc.integer({ min: -20, max: 40 }), fc.nat(8));
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 30 }), (stretches) => {
      const ranges = new RangeSet();
      const numbers = new Set<number>();
      for (const [first, more] of stretches) {
        const told: number[] = [];
        ranges.add(first, first + more, (from, to) => {
          for (let number = from; number <= to; number++) told.push(number);
        });
        const wanted = Array.from({ length: more + 1 }, (_, index) => first + index);
        expect(told).toEqual(wanted.filter((number) => !numbers.has(number)));
        for (const number of wanted) numbers.add(number);
      }
      expect([...ranges]).toEqual([...numbers].sort((one, other) => one - other));
      for (let number = -21; number < 50; number++) expect(ranges.has(number)).toBe(numbers.has(number));
      const part = [...ranges.within(-3, 21)].flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
      );
      expect(part).toEqual([...ranges].filter((number) => number >= -3 && number <= 21));
    }),
    { numRuns: 500 },
  );
});

it('holds more numbers than a set can', () => {
  const ranges = new RangeSet();
  ranges.add(0, 2 ** 40);
  ranges.add(2 ** 41, 2 ** 42);
  expect([ranges.has(2 ** 40), ranges.has(2 ** 40 + 1), ranges.has(2 ** 42)]).toEqual([true, false, true]);
});
