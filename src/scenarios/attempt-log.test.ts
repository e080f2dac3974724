import { expect, test } from 'vitest';
import { AttemptLog } from './attempt-log.ts';

const logOf = (...attempts: readonly (readonly [number, number?])[]): AttemptLog => {
  const log = new AttemptLog();
  for (const [from, to] of attempts) {
    const end = log.begin(0, from);
    if (to !== undefined) end(to);
  }
  return log;
};

test('a request counts that was sent, answered or awaited within the window', () => {
  expect(logOf([150, 300]).overlaps(0, 100, 200)).toBe(true);
  expect(logOf([50, 150]).overlaps(0, 100, 200)).toBe(true);
  expect(logOf([50, 300]).overlaps(0, 100, 200)).toBe(true);
  expect(logOf([50]).overlaps(0, 100, 200)).toBe(true);
});

test('requests before and after the window, or of another partition, do not', () => {
  expect(logOf([10, 90], [210, 220]).overlaps(0, 100, 200)).toBe(false);
  expect(logOf([150, 160]).overlaps(1, 100, 200)).toBe(false);
});
