import { expect, test } from 'vitest';
import type { Lane, LaneResult } from './client.ts';
import { retiring } from './retiring-lane.ts';

/** A lane whose results are given, and which counts what it was asked to send. */
const laneWith = (...outcomes: readonly LaneResult['outcome'][]): Lane & { sent: number } => {
  const lane = {
    sent: 0,
    send: () => Promise.resolve({ outcome: outcomes[lane.sent++] ?? 'ok', attempts: 1, tainted: false }),
    close: () => Promise.resolve(),
  };
  return lane;
};

test('a lane goes on after an acknowledgement and after a definite failure', async () => {
  const lane = laneWith('ok', 'fail', 'ok');
  const guarded = retiring(lane);
  for (const outcome of ['ok', 'fail', 'ok']) expect(await guarded.send([])).toMatchObject({ outcome });
  expect(lane.sent).toBe(3);
});

test('a lane asks nothing more of its client after an unknown result, however often it is tried', async () => {
  const lane = laneWith('unknown', 'ok');
  const guarded = retiring(lane);
  expect(await guarded.send([])).toMatchObject({ outcome: 'unknown' });
  for (let again = 0; again < 2; again++) {
    await expect(guarded.send([])).rejects.toMatchObject({ code: 'LANE_RETIRED', kind: 'internal' });
  }
  expect(lane.sent).toBe(1);
});
