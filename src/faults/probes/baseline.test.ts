import { describe, expect, it } from 'vitest';
import { baselineOf, isAsBefore, isWell, probeDeadlineMs, takeBaseline } from './baseline.ts';
import { Busyness } from './busyness.ts';

const base = { medianMs: 4, p95Ms: 10 };
const ok = (ms: number) => ({ class: 'ok' as const, ms });

describe('a baseline', () => {
  it('is the median and the 95th percentile of twenty good probes', async () => {
    let probes = 0;
    const baseline = await takeBaseline('path', async () => await Promise.resolve(ok(++probes)));
    expect([probes, baseline]).toEqual([20, { medianMs: 10, p95Ms: 19 }]);
    expect(baselineOf([5])).toEqual({ medianMs: 5, p95Ms: 5 });
  });

  it('is content with five probes where they take long, so that a slow machine does not prepare for ever', async () => {
    let probes = 0;
    const slow = async () => await Promise.resolve(ok(200 + ++probes));
    expect(await takeBaseline('path', slow)).toEqual({ medianMs: 203, p95Ms: 205 });
    expect(probes).toBe(5);
  });

  it('forgives a few bad probes and refuses a path that was ill before', async () => {
    let probes = 0;
    const flaky = async () => await Promise.resolve(++probes % 6 === 0 ? { class: 'reset' as const, ms: 1 } : ok(1));
    await takeBaseline('path', flaky);
    const dead = async () => await Promise.resolve({ class: 'refused' as const, ms: 1 });
    await expect(takeBaseline('the path', dead)).rejects.toThrow(/the path was not well before the fault: refused/);
  });

  it('calls healed what is within its median, its p95 or 25 ms, and never a probe that failed', () => {
    expect([isAsBefore(ok(29), base, 0), isAsBefore(ok(30), base, 0)]).toEqual([true, false]);
    expect(isAsBefore(ok(149), { medianMs: 100, p95Ms: 120 }, 0)).toBe(true);
    expect(isAsBefore({ class: 'reset', ms: 1 }, base, 0)).toBe(false);
  });

  it('allows as much more as untouched paths need now, within limits', () => {
    const busy = new Busyness();
    busy.note(ok(24), base);
    expect(isAsBefore(ok(45), base, busy.extraMs)).toBe(true);
    expect(isAsBefore(ok(60), base, busy.extraMs)).toBe(false);
    busy.note(ok(5000), base);
    expect(busy.extraMs).toBe(500);
    for (let quiet = 0; quiet < 20; quiet++) busy.note(ok(4), base);
    expect(busy.extraMs).toBe(0);
  });

  it('keeps a control well as long as it answers, however slowly: a busy machine is no fault', () => {
    expect([isWell(ok(4)), isWell(ok(2900))]).toEqual([true, true]);
    const failures = ['refused', 'timeout', 'reset', 'eof', 'http:503'] as const;
    expect(failures.some((how) => isWell({ class: how, ms: 1 }))).toBe(false);
  });

  it('waits long for an answer, and not so long where silence is what a fault promises', () => {
    expect(probeDeadlineMs(base, ['refused'])).toBe(3000);
    expect(probeDeadlineMs(base, ['timeout'])).toBe(500);
    expect(probeDeadlineMs({ medianMs: 1, p95Ms: 5000 }, ['timeout', 'eof'])).toBe(1500);
  });
});
