import { describe, expect, test } from 'vitest';
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
const turn = {
  faultId: 'kill-1',
  appliedAt: 3000,
  over: Number.POSITIVE_INFINITY,
  endsAt: Number.POSITIVE_INFINITY,
};

describe('the outage of a partition under a fault', () => {
  test('is the longest silence of the load, cut into what brokers, path and client were away', () => {
    const load = lane('p1', 50, [[3000, 6000]]);
    const probes = [...lane('probe-direct', 20, [[3000, 4000]]), ...lane('probe-proxied', 20, [[3000, 4500]])];
    expect(outagesOf(load, probes, [turn])).toEqual([
      {
        ...place,
        faultId: 'kill-1',
        from: 3000,
        to: 6000,
        ms: 3000,
        shares: { serverMs: 1000, proxyMs: 500, clientMs: 1500 },
      },
    ]);
  });

  test('belongs to the path alone when brokers answered all the time', () => {
    const probes = [...lane('probe-direct', 20, []), ...lane('probe-proxied', 20, [[3000, 6000]])];
    const [outage] = outagesOf(lane('p1', 50, [[3000, 6000]]), probes, [turn]);
    expect(outage?.shares).toEqual({ serverMs: 0, proxyMs: 3000, clientMs: 0 });
  });

  test('is not hidden by probes that get through while the load does not', () => {
    const probes = [...lane('probe-direct', 20, []), ...lane('probe-proxied', 20, [])];
    const [outage] = outagesOf(lane('p1', 50, [[3000, 6000]]), probes, [turn]);
    expect(outage).toMatchObject({ ms: 3000, shares: { serverMs: 0, proxyMs: 0, clientMs: 3000 } });
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
    const [outage] = outagesOf(lane('p1', 50, [[3000, 6000]]), probes, [turn]);
    const { serverMs = 0, proxyMs = 0, clientMs = 0 } = outage?.shares ?? {};
    expect(serverMs + proxyMs + clientMs).toBe(3000);
    expect(serverMs).toBe(1000);
    expect(proxyMs).toBe(500 + 600);
  });

  test('has no end when the load never came back', () => {
    const load = [
      ...lane('p1', 50, [[3000, 99_999]]),
      { producer: 'p1', ...place, count: 1, sentAt: 9000, outcome: 'unknown' as const },
    ];
    const [outage] = outagesOf(load, [], [turn]);
    expect(outage).toEqual({ ...place, faultId: 'kill-1', from: 3000 });
  });

  test('has no shares where nothing probed', () => {
    expect(outagesOf(lane('p1', 50, [[3000, 6000]]), [], [turn])[0]).not.toHaveProperty('shares');
  });

  test('is none where the silence is jitter', () => {
    expect(outagesOf(lane('p1', 50, [[3000, 3200]]), [], [turn])).toEqual([]);
    expect(outagesOf(lane('p1', 200, [[3000, 3700]]), [], [turn])).toEqual([]);
  });

  test('is none of a fault that came after it', () => {
    expect(outagesOf(lane('p1', 50, [[1000, 2000]]), [], [turn])).toEqual([]);
  });

  test('is none of a fault that was over when it began, unless it never ended', () => {
    const over = { ...turn, over: 6000 };
    expect(outagesOf(lane('p1', 50, [[6500, 7500]]), [], [over])).toEqual([]);
    expect(outagesOf(lane('p1', 50, [[5500, 6500]]), [], [over])).toMatchObject([{ ms: 1000 }]);
    const load = [
      ...lane('p1', 50, [[6500, 99_999]]),
      { producer: 'p1', ...place, count: 1, sentAt: 9000, outcome: 'unknown' as const },
    ];
    expect(outagesOf(load, [], [over])).toEqual([{ ...place, faultId: 'kill-1', from: 6500 }]);
  });

  test('goes to the fault during whose turn it began or lasted', () => {
    const turns = [
      { ...turn, endsAt: 7000 },
      { ...turn, faultId: 'kill-2', appliedAt: 7000 },
    ];
    const load = lane('p1', 50, [
      [3000, 4000],
      [7500, 9000],
    ]);
    expect(outagesOf(load, [], turns).map(({ faultId, ms }) => [faultId, ms])).toEqual([
      ['kill-1', 1000],
      ['kill-2', 1500],
    ]);
  });
});

test('a silence is longer than asked for, and the last one ends with the load', () => {
  expect(silences([0, 10, 20, 100], 105, 10)).toEqual([{ from: 20, to: 100 }]);
  expect(silences([0, 10], 50, 10)).toEqual([{ from: 10, to: 50 }]);
  expect(silences([], 50, 10)).toEqual([]);
});
