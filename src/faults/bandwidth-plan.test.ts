import { describe, expect, it } from 'vitest';
import {
  type BandwidthLimit,
  bandwidthToxics,
  canBeTold,
  isLimited,
  isUnlimited,
  longestTransferMs,
  transferPlan,
} from './bandwidth-plan.ts';
import type { ProbeResult } from './probes/probe.ts';

const limitOf = (
  bytesPerSecond: number,
  directions: BandwidthLimit['directions'] = ['downstream'],
): BandwidthLimit => ({
  bytesPerSecond,
  directions,
  transferMs: 400,
});
const LIMIT = limitOf(64 * 1024);
const passed = (bytesPerSecond: number): ProbeResult => ({ class: 'ok', ms: 500, bytes: bytesPerSecond / 2 });

describe('a limit of the bandwidth', () => {
  it.each([
    { asked: 64 * 1024, rate: 65 },
    { asked: 1000, rate: 1 },
    { asked: 1999, rate: 1 },
  ])('of $asked bytes a second is $rate KB/s: never more than was asked for', ({ asked, rate }) => {
    const toxics = bandwidthToxics(limitOf(asked, ['upstream', 'downstream']), 'ackproof-run');
    expect(toxics.map(({ attributes }) => attributes)).toEqual([{ rate }, { rate }]);
    expect(toxics.map(({ name }) => name)).toEqual([
      'ackproof-run-bandwidth-upstream',
      'ackproof-run-bandwidth-downstream',
    ]);
  });

  it('is shown by transfers that last long beside a question, and are neither tiny nor huge', () => {
    expect(transferPlan(LIMIT)).toEqual({ ways: ['downstream'], bytes: 26_214 });
    expect(transferPlan(limitOf(1000)).bytes).toBe(2048);
    expect(transferPlan(limitOf(10_000_000)).bytes).toBe(1024 * 1024);
    expect(longestTransferMs(limitOf(1000))).toBe(4096);
  });

  it('tells a transfer that it holds from one that it does not, with a fifth of room', () => {
    expect(isLimited(LIMIT, passed(1.19 * LIMIT.bytesPerSecond))).toBe(true);
    expect(isLimited(LIMIT, passed(1.21 * LIMIT.bytesPerSecond))).toBe(false);
    expect(isUnlimited(LIMIT, passed(1.19 * LIMIT.bytesPerSecond))).toBe(false);
    expect(isUnlimited(LIMIT, passed(1.21 * LIMIT.bytesPerSecond))).toBe(true);
  });

  it('is no reason for a transfer that failed, and is not told by what is none', () => {
    const reset: ProbeResult = { class: 'reset', ms: 500, bytes: 10 };
    expect([isLimited(LIMIT, reset), isUnlimited(LIMIT, reset)]).toEqual([false, false]);
    const small: ProbeResult = { class: 'ok', ms: 5000 };
    expect([isLimited(LIMIT, small), isUnlimited(LIMIT, small)]).toEqual([false, true]);
  });

  it('can be told only where the path carried more than twice as much before', () => {
    const base = (medianMs: number) => ({ medianMs, p95Ms: 2 * medianMs });
    expect(canBeTold(LIMIT, base(166))).toBe(true);
    expect(canBeTold(LIMIT, base(168))).toBe(false);
    const long = { ...LIMIT, transferMs: 1200 };
    expect([canBeTold(long, base(498)), canBeTold(long, base(502))]).toEqual([true, false]);
  });
});
