import { expect, test } from 'vitest';
import { countedShape, laneIntervalMs, Pace, workloadShape } from './pacing.ts';

test('a lane keeps its interval while it is answered in time', () => {
  const pace = new Pace(100, 0);
  expect([pace.waitMs(0), pace.waitMs(10), pace.waitMs(120)]).toEqual([0, 90, 80]);
});

test('a lane that fell behind sends at once, and only once', () => {
  const pace = new Pace(100, 0);
  pace.waitMs(0);
  expect(pace.waitMs(5000)).toBe(0);
  expect(pace.waitMs(5001)).toBe(99);
});

test('an unlimited lane never waits', () => {
  const pace = new Pace(laneIntervalMs('max', 12, 50), 7);
  expect([pace.waitMs(7), pace.waitMs(7)]).toEqual([0, 0]);
});

test('the lanes together give the rate that was asked for', () => {
  expect(laneIntervalMs(2000, 6, 50)).toBe(150);
});

const slowAndLarge = { ratePerSecond: 2, record: { sizeBytes: 900_000, batch: 1 } } as const;

test('a workload sends what its scenario asks for', () => {
  expect(workloadShape(slowAndLarge, 4)).toEqual({ batch: 1, intervalMs: 2000, sizeBytes: 900_000 });
});

// Red before: at 50 records/s the honesty check had not sent its thousand records after 15 s, and every such run was inconclusive.
test('a load that is counted is neither paced nor large, and takes few requests', () => {
  expect(countedShape(slowAndLarge, 1000)).toEqual({ batch: 25, intervalMs: 0, sizeBytes: 512 });
  const usual = { ratePerSecond: 2000, record: { sizeBytes: 200, batch: 50 } } as const;
  expect(countedShape(usual, 42)).toEqual({ batch: 50, intervalMs: 0, sizeBytes: 200 });
});
