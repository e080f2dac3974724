import { expect, test } from 'vitest';
import { laneIntervalMs, Pace } from './pacing.ts';

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
