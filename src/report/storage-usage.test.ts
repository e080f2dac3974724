import { describe, expect, test } from 'vitest';
import type { StorageLine } from '../ledger/storage-lines.ts';
import { costOf, usageOf } from './storage-usage.ts';
import { costTexts, keptText } from './words.ts';

const GIB = 1024 ** 3;
const row = {
  path: 'data',
  operation: 'PutObject',
  status: 200,
  requests: 2000,
  requestBytes: GIB,
  responseBytes: 0,
} as const;

const inventory = (when: 'before' | 'after', bytes: number): StorageLine => ({
  t: 'inventory',
  at: 1,
  when,
  prefixes: [{ prefix: 'data/', holds: 'data', objects: 1, bytes }],
  whole: true,
});

const LINES: readonly StorageLine[] = [
  inventory('before', GIB),
  {
    t: 'requests',
    at: 1,
    stage: 'load',
    rows: [row, { ...row, status: 503, requests: 500 }, { ...row, path: 'harness', requests: 77 }],
  },
  {
    t: 'requests',
    at: 2,
    stage: 'replay',
    rows: [{ ...row, operation: 'GetObject', requestBytes: 0, responseBytes: GIB / 2 }],
  },
  inventory('after', 3 * GIB),
];

const PRICES = {
  currency: 'EUR',
  per1000Requests: { PutObject: 0.005 },
  perGiB: { toStore: 0, fromStore: 0.1 },
  perGiBMonth: 0.02,
};

describe('what a store was asked', () => {
  test('is told by stage, operation and status, without ackproof’s own requests', () => {
    const usage = usageOf(LINES)!;
    expect(
      usage.requests.map(({ stage, operation, status, requests }) => [stage, operation, status, requests]),
    ).toEqual([
      ['load', 'PutObject', 200, 2000],
      ['load', 'PutObject', 503, 500],
      ['replay', 'GetObject', 200, 2000],
    ]);
    expect([usage.keptBytes, usage.grownBytes]).toEqual([3 * GIB, 2 * GIB]);
    expect(keptText(usage)).toBe('3.0 GiB kept after the replay, +2.0 GiB in this part');
  });

  test('is nothing where nobody counted', () => {
    expect(usageOf([])).toBeUndefined();
  });
});

describe('what that costs', () => {
  const cost = costOf(usageOf(LINES)!, PRICES);

  test('is the product of what was counted and the reader’s prices; what the store failed to do is not charged', () => {
    expect(cost.lines.map(({ what, per, cost: product }) => [what, per, product])).toEqual([
      ['PutObject', 'run', 0.01],
      ['bytes from the store', 'run', 0.05],
      ['bytes kept', 'month', 0.06],
    ]);
    expect(cost.total).toBeCloseTo(0.06, 12);
  });

  test('names what has no price, and never guesses', () => {
    expect(cost.unpriced).toEqual(['GetObject']);
    expect(costTexts(cost)).toEqual([
      'PutObject: 2,000 requests at 0.005 EUR per 1,000 = 0.01 EUR',
      'bytes from the store: 512.0 MiB at 0.1 EUR per GiB = 0.05 EUR',
      'bytes kept: 3.0 GiB at 0.02 EUR per GiB and month = 0.06 EUR a month',
      'this part: 0.06 EUR, by the prices of the reader; without a price: GetObject',
    ]);
  });
});
