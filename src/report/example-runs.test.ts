import { expect, test } from 'vitest';
import { exampleRuns, spanOf } from './example-runs.ts';

const example = (seq: number, offset: number, more: object = {}) => ({
  producer: 'p1',
  incarnation: 0,
  seq,
  offset,
  ackedAt: 5,
  ...more,
});

test('consecutive records are one run', () => {
  const [run, ...others] = exampleRuns([example(1, 10), example(2, 11), example(3, 12)]);
  expect(others).toEqual([]);
  expect(run?.count).toBe(3);
  expect(run && spanOf(run, 'seq')).toBe('1-3');
  expect(run && spanOf(run, 'offset')).toBe('10-12');
});

test.each([
  ['another producer', { producer: 'p2' }],
  ['another incarnation', { incarnation: 1 }],
  ['a hole in the offsets', { offset: 12 }],
  ['a hole in the sequence', { seq: 3 }],
  ['another moment', { ackedAt: 6 }],
  ['another detail', { detail: 'damaged' }],
])('%s begins a new run', (_name, more) => {
  expect(exampleRuns([example(1, 10), example(2, 11, more)]).length).toBe(2);
});

test('records without a place do not run together', () => {
  expect(exampleRuns([{ detail: 'x' }, { detail: 'x' }]).length).toBe(2);
});
