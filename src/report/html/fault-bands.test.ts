import { expect, test } from 'vitest';
import type { FaultReport } from '../model.ts';
import { faultRows } from './fault-bands.ts';
import { linearScale } from './scale.ts';

const FAULT: FaultReport = {
  id: 'process-kill-1',
  fault: 'process-kill',
  victims: ['broker/1'],
  chosen: 'broker 1, the leader of orders/0 in epoch 1',
  state: 'healed',
  require: 'all',
  confirmed: true,
  evidence: [],
  ackedInWindow: 1,
  attemptedInWindow: 1,
  exposure: [],
  marks: [],
};

/** The rows of faults that act from and until these seconds of a part of a minute. */
const rowsOf = (...spans: readonly (readonly [number, number])[]): readonly number[] => {
  const faults = spans.map(([from, to]) => ({ ...FAULT, appliedAt: from * 1000, healedAt: to * 1000 }));
  const frame = { left: 78, right: 1126, until: 60_000, x: linearScale(60_000, 78, 1126) };
  return faultRows(faults, frame, 12);
};

test('faults at once have rows of their own', () => {
  expect(rowsOf([5, 20], [10, 15], [12, 30])).toEqual([0, 1, 2]);
});

// Red before: their bands were apart and their names were written over each other.
test('short faults one after the other have rows of their own where their names would overlap', () => {
  expect(rowsOf([5, 6], [8, 9])).toEqual([0, 1]);
  expect(rowsOf([50, 51], [56, 57])).toEqual([0, 1]);
});

test('faults far apart share a row', () => {
  expect(rowsOf([2, 4], [40, 42])).toEqual([0, 0]);
});
