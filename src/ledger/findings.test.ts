import { expect, test } from 'vitest';
import { EXAMPLE_CONTRACT } from '../../test/support/example-contract.ts';
import { FindingCollector } from './findings.ts';

const loss = (offset: number, ackedAt?: number) => ({
  anomaly: 'lost-write' as const,
  ruling: { legal: false, rule: 'acknowledged' },
  topic: 'orders',
  partition: 0,
  example: { offset, ...(ackedAt === undefined ? {} : { ackedAt }) },
});

// Red before: of many lost records the oldest was none of those that are kept, and the recovery point was told too small.
test('the example that was acknowledged first comes first, however many there are', () => {
  const collector = new FindingCollector(EXAMPLE_CONTRACT);
  for (let offset = 0; offset < 200; offset++) collector.add(loss(offset, offset === 90 ? 5 : 1000 + offset));
  const [finding] = collector.finish();
  expect([finding?.count, finding?.examples.length]).toEqual([200, 32]);
  expect(finding?.examples[0]).toEqual({ offset: 90, ackedAt: 5 });
  expect(finding?.examples.at(1)?.offset).toBe(0);
  expect(finding?.examples.at(-1)?.offset).toBe(199);
});

test('examples that are kept anyway, or that nobody acknowledged, stay as they were found', () => {
  const few = new FindingCollector(EXAMPLE_CONTRACT);
  for (const [offset, ackedAt] of [
    [1, 30],
    [2, 10],
    [3, 20],
  ] as const)
    few.add(loss(offset, ackedAt));
  expect(few.finish()[0]?.examples.map(({ offset }) => offset)).toEqual([2, 1, 3]);
  const unknown = new FindingCollector(EXAMPLE_CONTRACT);
  for (const offset of [4, 5]) unknown.add(loss(offset));
  expect(unknown.finish()[0]?.examples.map(({ offset }) => offset)).toEqual([4, 5]);
});
