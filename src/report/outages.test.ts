import { describe, expect, test } from 'vitest';
import type { PartitionAvailability } from '../ledger/judgement.ts';
import type { Attempt } from './attempts.ts';
import { outagesOf, silences } from './outages.ts';

const place = { topic: 'orders', partition: 0 };
/** One record acknowledged every `stepMs`, except in the stretches given, until `until`. */
const lane = (
  producer: string,
  stepMs: number,
  away: readonly (readonly [number, number])[],
  until = 10_000,
): Attempt[] =>
  Array.from({ length: Math.floor(until / stepMs) }, (_, index) => index * stepMs)
    .filter((at) => !away.some(([from, to]) => at > from && at < to))
    .map((at) => ({ producer, ...place, count: 1, sentAt: at, endedAt: at, outcome: 'ok' as const }));
type Outages = PartitionAvailability['outages'];

/** What the judge measured of the partition; the gaps do not matter here. */
const measured = (...outages: Outages): readonly PartitionAvailability[] => [
  { ...place, acked: 100, longestGapMs: 0, longestGapFrom: 0, outages },
];
const away = (from: number, to: number, faultId = 'kill-1'): Outages[number] => ({ faultId, from, to, ms: to - from });

describe('the outage of a partition under a fault', () => {
  test('is the one the judge measured, cut into what brokers, path and client were away', () => {
    const load = lane('p1', 50, [[3000, 6000]]);
    const probes = [...lane('probe-direct', 20, [[3000, 4000]]), ...lane('probe-proxied', 20, [[3000, 4500]])];
    expect(outagesOf(measured(away(3000, 6000)), load, probes)).toEqual([
      {
        ...place,
        faultId: 'kill-1',
        from: 3000,
        to: 6000,
        ms: 3000,
        shares: { brokersMs: 1000, pathMs: 500, clientMs: 1500 },
      },
    ]);
  });

  test('belongs to the path alone when brokers answered all the time', () => {
    const probes = [...lane('probe-direct', 20, []), ...lane('probe-proxied', 20, [[3000, 6000]])];
    const [outage] = outagesOf(measured(away(3000, 6000)), lane('p1', 50, [[3000, 6000]]), probes);
    expect(outage?.shares).toEqual({ brokersMs: 0, pathMs: 3000, clientMs: 0 });
  });

  test('is not hidden by probes that get through while the load does not', () => {
    const probes = [...lane('probe-direct', 20, []), ...lane('probe-proxied', 20, [])];
    const [outage] = outagesOf(measured(away(3000, 6000)), lane('p1', 50, [[3000, 6000]]), probes);
    expect(outage).toMatchObject({ ms: 3000, shares: { brokersMs: 0, pathMs: 0, clientMs: 3000 } });
  });

  test('counts no moment twice when probes come and go', () => {
    const direct = [
      [3000, 3500],
      [4000, 4500],
    ] as const;
    const proxied = [
      [3200, 4200],
      [5000, 5600],
    ] as const;
    const probes = [...lane('probe-direct', 20, direct), ...lane('probe-proxied', 20, proxied)];
    const [outage] = outagesOf(measured(away(3000, 6000)), lane('p1', 50, [[3000, 6000]]), probes);
    const { brokersMs = 0, pathMs = 0, clientMs = 0 } = outage?.shares ?? {};
    expect(brokersMs + pathMs + clientMs).toBe(3000);
    expect(brokersMs).toBe(1000);
    expect(pathMs).toBe(500 + 600);
  });

  test('has no end when the load never came back', () => {
    const load = [
      ...lane('p1', 50, [[3000, 99_999]]),
      { producer: 'p1', ...place, count: 1, sentAt: 9000, outcome: 'unknown' as const },
    ];
    const [outage] = outagesOf(measured({ faultId: 'kill-1', from: 3000 }), load, []);
    expect(outage).toEqual({ ...place, faultId: 'kill-1', from: 3000 });
  });

  test('keeps what the judge counted from the start and from the heal', () => {
    const recovery = { recoveredAfterMs: 2900, afterAppliedMs: 2900, afterHealedMs: 400 };
    const [outage] = outagesOf(measured({ ...away(3000, 6000), ...recovery }), lane('p1', 50, [[3000, 6000]]), []);
    expect(outage).toMatchObject(recovery);
  });

  test('has no shares where nothing probed', () => {
    expect(outagesOf(measured(away(3000, 6000)), lane('p1', 50, [[3000, 6000]]), [])[0]).not.toHaveProperty('shares');
  });

  test('is none where the silence is jitter, and always one where the load never came back', () => {
    expect(outagesOf(measured(away(3000, 3200)), lane('p1', 50, [[3000, 3200]]), [])).toEqual([]);
    expect(outagesOf(measured(away(3000, 3700)), lane('p1', 200, [[3000, 3700]]), [])).toEqual([]);
    expect(outagesOf(measured({ faultId: 'kill-1', from: 9900 }), lane('p1', 200, []), [])).toHaveLength(1);
  });

  // Red before: the report measured for itself, and gave one silence to two faults where the judge gave it to one.
  test('belongs to the fault that the judge gave it to', () => {
    const stretches = [
      [3000, 4000],
      [7500, 9000],
    ] as const;
    const judged = measured(away(3000, 4000), away(7500, 9000, 'kill-2'));
    expect(outagesOf(judged, lane('p1', 50, stretches), []).map(({ faultId, ms }) => [faultId, ms])).toEqual([
      ['kill-1', 1000],
      ['kill-2', 1500],
    ]);
  });

  test('is told by the probes of its own partition alone', () => {
    const other = lane('probe-direct', 20, []).map((attempt) => ({ ...attempt, partition: 1 }));
    expect(outagesOf(measured(away(3000, 6000)), lane('p1', 50, [[3000, 6000]]), other)[0]).not.toHaveProperty(
      'shares',
    );
  });
});

test('a silence is longer than asked for, and the last one ends with the load', () => {
  expect(silences([0, 10, 20, 100], 105, 10)).toEqual([{ from: 20, to: 100 }]);
  expect(silences([0, 10], 50, 10)).toEqual([{ from: 10, to: 50 }]);
  expect(silences([], 50, 10)).toEqual([]);
});
