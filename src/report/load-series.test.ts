import { expect, test } from 'vitest';
import type { Attempt } from './attempts.ts';
import { countWindow, loadSeries, MOST_BUCKETS } from './load-series.ts';

const attempt = (
  sentAt: number,
  endedAt: number | undefined,
  outcome: Attempt['outcome'] = 'ok',
  count = 10,
): Attempt => ({
  producer: 'p1',
  topic: 'orders',
  partition: 0,
  count,
  sentAt,
  outcome,
  ...(endedAt === undefined ? {} : { endedAt }),
});

test('every record is in one bucket, by when its request ended, or was sent if it never did', () => {
  const series = loadSeries([
    attempt(0, 20),
    attempt(240, 260),
    attempt(100, 300, 'fail'),
    attempt(200, 510, 'unknown'),
    attempt(900, undefined, 'unknown'),
  ]);
  expect(series?.from).toBe(0);
  expect(series?.bucketMs).toBe(250);
  expect(series?.buckets.map(({ acked, unknown, failed }) => [acked, unknown, failed])).toEqual([
    [10, 0, 0],
    [10, 0, 10],
    [0, 10, 0],
    [0, 10, 0],
  ]);
});

test('latency is that of acknowledged requests only', () => {
  const acked = Array.from({ length: 100 }, (_, index) => attempt(0, index + 1));
  const series = loadSeries([...acked, attempt(0, 240, 'fail')]);
  expect(series?.buckets[0]).toMatchObject({ p50Ms: 50, p99Ms: 99 });
  expect(loadSeries([attempt(0, 10, 'fail')])?.buckets[0]).not.toHaveProperty('p50Ms');
});

test.each([1, 99_999, 100_000, 3_600_000, 500_000_000])('%d ms of load fit into the buckets', (length) => {
  const series = loadSeries([attempt(0, 0), attempt(length, length)]);
  expect(series?.buckets.length).toBeLessThanOrEqual(MOST_BUCKETS);
  expect(series?.buckets.reduce((sum, { acked }) => sum + acked, 0)).toBe(20);
});

test('nothing sent is no series', () => expect(loadSeries([])).toBeUndefined());

test('a window counts what was sent in it and what was acknowledged in it, ends included', () => {
  const attempts = [
    attempt(0, 100),
    attempt(100, 200),
    attempt(150, 201),
    attempt(120, 130, 'fail'),
    attempt(130, undefined, 'unknown'),
  ];
  expect(countWindow(attempts, 100, 200)).toEqual({ acked: 20, attempted: 40 });
});
