import { describe, expect, it } from 'vitest';
import { boundsState, checkBounds } from './bounds.ts';
import type { PartitionAvailability } from './judgement.ts';

describe('bounds', () => {
  const partition = (longestGapMs: number, recoveredAfterMs?: number): PartitionAvailability => ({
    topic: 'orders',
    partition: 1,
    acked: 1,
    longestGapMs,
    longestGapFrom: 0,
    outages: [
      { faultId: 'kill-1', from: 0, ...(recoveredAfterMs === undefined ? {} : { to: 5, ms: 5, recoveredAfterMs }) },
    ],
  });
  const states = (bounds: object, partitions: readonly PartitionAvailability[]): string =>
    boundsState(checkBounds(bounds, partitions));

  it('are met up to and including the limit', () => {
    expect(states({ recoverWithinMs: 100, longestGapMs: 30 }, [partition(30, 100)])).toBe('met');
    expect(states({ recoverWithinMs: 100, longestGapMs: 30 }, [partition(31, 100)])).toBe('missed');
    expect(states({ recoverWithinMs: 100, longestGapMs: 30 }, [partition(30, 101)])).toBe('missed');
  });

  it('are missed by a partition that never recovered, and the result says which', () => {
    const [result] = checkBounds({ recoverWithinMs: 100 }, [partition(1, 1), partition(1)]);
    expect(result).toEqual({
      name: 'recoverWithin',
      limitMs: 100,
      state: 'missed',
      where: 'orders/1 was never acknowledged again after kill-1',
    });
  });

  // Red before: both were missed.
  it('are unmeasured where nothing was attempted, and missed where another partition missed them', () => {
    const quiet: PartitionAvailability = {
      ...partition(5000),
      outages: [],
      longestGapUnattempted: true,
      notAttempted: [{ faultId: 'kill-1', from: 0 }],
    };
    const bounds = { recoverWithinMs: 100, longestGapMs: 30 };
    expect(checkBounds(bounds, [quiet, partition(1, 1)])).toEqual([
      {
        name: 'recoverWithin',
        limitMs: 100,
        state: 'no-samples',
        where: 'nothing was attempted in orders/1 after kill-1',
      },
      {
        name: 'longestGap',
        limitMs: 30,
        state: 'no-samples',
        where: 'nothing was attempted in orders/1 in its longest gap',
      },
    ]);
    expect(checkBounds(bounds, [quiet, partition(31, 101)]).map(({ state }) => state)).toEqual(['missed', 'missed']);
  });

  // Red before: both were missed, and the cluster was blamed for our own standstill.
  it('are unmeasured where ackproof itself stood still for as much as they were missed by, and missed by more', () => {
    const slept = (ms: number): PartitionAvailability => ({
      ...partition(50),
      longestGapStoodStillMs: ms,
      outages: [{ faultId: 'kill-1', from: 0, to: 150, ms: 150, recoveredAfterMs: 150, stoodStillMs: ms }],
    });
    const bounds = { recoverWithinMs: 100, longestGapMs: 30 };
    expect(checkBounds(bounds, [slept(50)])).toEqual([
      {
        name: 'recoverWithin',
        limitMs: 100,
        state: 'no-samples',
        where: 'orders/1 after kill-1: ackproof itself stood still for 50 ms of it',
      },
      {
        name: 'longestGap',
        limitMs: 30,
        state: 'no-samples',
        where: 'orders/1: ackproof itself stood still for 50 ms of it',
      },
    ]);
    expect(checkBounds(bounds, [slept(19)]).map(({ state, measuredMs }) => [state, measuredMs])).toEqual([
      ['missed', 150],
      ['missed', 50],
    ]);
    expect(states(bounds, [slept(50), partition(31, 1)])).toBe('missed');
  });

  it('are not met by nothing measured', () => {
    expect(states({ recoverWithinMs: 100 }, [{ ...partition(1), outages: [] }])).toBe('no-samples');
    expect(states({ longestGapMs: 100 }, [])).toBe('no-samples');
    expect(states({}, [])).toBe('met');
  });
});
