import { expect, test } from 'vitest';
import { specOf } from '../../test/faults/run-on.ts';
import { missedOverlaps } from './fault-overlap.ts';

/** A fault by its plan, `at` and for how long, and by when it acted. */
const fault = (id: string, at: unknown, duration: string | undefined, acted: readonly [number?, number?] = []) => {
  const kind = duration === undefined ? { fault: 'rolling-restart' } : { fault: 'process-kill', duration };
  const spec = specOf({ ...kind, ...(duration !== undefined && { victim: { broker: 1 } }), at });
  const plannedAt = spec.at.kind === 'time' ? spec.at.offsetMs : undefined;
  const lateness = { plannedAt };
  const [appliedAt, healingAt] = acted;
  return { id, spec, lateness, appliedAt, healingAt };
};

test('two faults that were planned to overlap and did not are told, with their times', () => {
  const pause = fault('pause-1', '3s', '5s', [3010, 8012]);
  expect(missedOverlaps([pause, fault('kill-2', '4s', '10s', [8012, 18_000])])).toEqual([
    'pause-1 acted from 3010 to 8012 ms and kill-2 acted from 8012 to 18000 ms, although they were planned to overlap',
  ]);
});

// Red before: one millisecond was as good as all of it.
test('two faults that were at the same time for a moment only are told, with how long it was and had to be', () => {
  const pause = fault('pause-1', '3s', '5s', [3010, 8012]);
  expect(missedOverlaps([pause, fault('kill-2', '4s', '10s', [8011, 18_000])])).toEqual([
    'pause-1 acted from 3010 to 8012 ms and kill-2 acted from 8011 to 18000 ms, 1 ms of it together, although 4000 ms were planned and 250 ms are the least that counts',
  ]);
  expect(missedOverlaps([pause, fault('kill-2', '4s', '10s', [7762, 18_000])])).toEqual([]);
  const brief = (appliedAt: number) => fault('kill-2', '7900ms', '10s', [appliedAt, 18_000]);
  expect(missedOverlaps([pause, brief(7970)])[0]).toContain(
    '42 ms of it together, although 100 ms were planned and 50 ms',
  );
  expect(missedOverlaps([pause, brief(7962)])).toEqual([]);
});

test('two that were planned one after the other owe no overlap', () => {
  const pause = fault('pause-1', '3s', '5s', [3010, 8012]);
  expect(missedOverlaps([pause, fault('kill-2', '8s', '1s', [9000, 10_000])])).toEqual([]);
});

test('one that never acted, or whose moment is a number of records, is not told here', () => {
  const pause = fault('pause-1', '3s', '5s', [3010, 8012]);
  expect(missedOverlaps([pause, fault('kill-2', '4s', '10s')])).toEqual([]);
  expect(missedOverlaps([pause, fault('kill-2', { afterAcks: 5 }, '10s', [9000, 9100])])).toEqual([]);
});

test('one without a duration is planned as a moment, and acts as long as it does', () => {
  const pause = fault('pause-1', '3s', '5s', [3010, 8012]);
  expect(missedOverlaps([pause, fault('roll-2', '4s', undefined, [8000, 12_000])])).toEqual([]);
  expect(missedOverlaps([pause, fault('roll-2', '4s', undefined, [9000, 12_000])])).toHaveLength(1);
  expect(missedOverlaps([pause, fault('loss-2', '4s', undefined, [9000])])).toHaveLength(1);
  expect(missedOverlaps([pause, fault('loss-2', '4s', undefined, [4500])])).toEqual([]);
  expect(missedOverlaps([pause, fault('loss-2', '9s', undefined, [9000])])).toEqual([]);
  // As the pause ends, and as it begins.
  expect(missedOverlaps([pause, fault('loss-2', '8s', undefined, [9000])])).toEqual([]);
  expect(missedOverlaps([pause, fault('loss-2', '3s', undefined, [9000])])).toHaveLength(1);
});

test('two moments are never at the same time', () => {
  expect(missedOverlaps([fault('loss-1', '4s', undefined, [4000]), fault('loss-2', '4s', undefined, [4003])])).toEqual(
    [],
  );
});
