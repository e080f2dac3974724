import { describe, expect, it } from 'vitest';
import { availabilityOf, faultTurns, routineStall } from './availability.ts';
import type { FaultLine } from './history-lines.ts';
import type { PartitionLog, Placed, SentRun } from './run-facts.ts';
import { type LoadWindow, serviceOf } from './service.ts';

/** A partition that acknowledged one record of a producer at each of these times, and was asked no more. */
const askedOnly = (times: readonly number[], producer = 'p1'): PartitionLog => {
  const runs = times.map(
    (at, seq): SentRun => ({
      producer,
      incarnation: 0,
      seq,
      count: 1,
      sent: { at: at - 1, order: 0 },
      outcome: 'ok',
      settled: { at, order: 0 },
      offset: seq,
      attempts: 1,
      tainted: false,
    }),
  );
  const lanes = [{ producer, incarnation: 0, runs }];
  return { topic: 'orders', partition: 2, lanes, passes: [], leaders: [], snapshots: [], epochs: [], sentinels: [] };
};

/** The same, and a last request got no answer: whoever is away is asked. */
const acknowledged = (times: readonly number[], producer = 'p1'): PartitionLog => {
  const log = askedOnly(times, producer);
  const sent = { at: (times.at(-1) ?? 0) + 1, order: 0 };
  const open: SentRun = {
    ...{ producer, incarnation: 0, seq: times.length, count: 1, attempts: 1, tainted: false },
    ...{ sent, outcome: 'unknown' },
  };
  return { ...log, lanes: log.lanes.map((lane) => ({ ...lane, runs: [...lane.runs, open] })) };
};

const every = (from: number, to: number, stepMs: number): number[] =>
  Array.from({ length: Math.floor((to - from) / stepMs) + 1 }, (_, index) => from + index * stepMs);

const edges = (
  fault: string,
  id: string,
  times: Readonly<Record<string, number>>,
  victims: readonly number[] = [1],
  more: Partial<FaultLine> = {},
): Placed<FaultLine>[] =>
  Object.entries(times).map(([edge, at]) => ({
    t: 'fault',
    at,
    order: 0,
    fault,
    id,
    edge: edge as 'applied',
    victims,
    ...more,
  }));

const LOAD: LoadWindow = { from: 0, to: 40_000 };
const kill = faultTurns(edges('process-kill', 'kill-1', { applied: 10_000, healed: 20_000 }), LOAD.to);

describe('availability', () => {
  // Red before: what the first fault did was taken for the usual unevenness, and the second one's outage was told to be 20 ms.
  it('measures a later outage that is shorter than an earlier one, also where a last answer came after the fault', () => {
    const times = [...every(100, 10_000, 100), ...every(17_000, 30_000, 100), 30_020, ...every(33_000, 39_000, 100)];
    const turns = faultTurns(
      [
        ...edges('process-kill', 'kill-1', { applied: 10_050, healed: 16_000 }),
        ...edges('process-pause', 'pause-1', { applied: 30_010, healed: 32_990 }),
      ],
      LOAD.to,
    );
    const { outages } = availabilityOf(serviceOf(acknowledged(times)), turns, LOAD);
    expect(outages.map(({ faultId, ms }) => [faultId, ms])).toEqual([
      ['kill-1', 7000],
      ['pause-1', 2980],
    ]);
  });

  it('measures an outage from the last acknowledgement before it to the first of the recovery', () => {
    const log = acknowledged([...every(100, 10_050, 50), ...every(13_000, 40_000, 50)]);
    const { outages, longestGapMs, longestGapFrom, acked } = availabilityOf(serviceOf(log), kill, LOAD);
    const figures = { ms: 2950, recoveredAfterMs: 3000, afterAppliedMs: 3000, afterHealedMs: 0 };
    expect(outages).toEqual([{ faultId: 'kill-1', from: 10_050, to: 13_000, ...figures }]);
    expect({ longestGapMs, longestGapFrom, acked }).toEqual({ longestGapMs: 2950, longestGapFrom: 10_050, acked: 741 });
  });

  it('does not take a probe that is answered for service to the load', () => {
    const load = acknowledged([...every(0, 10_000, 50), ...every(16_000, 40_000, 50)]);
    const probe = acknowledged(every(0, 40_000, 20), 'probe-direct');
    const log = { ...load, lanes: [...load.lanes, ...probe.lanes] };
    const { outages, longestGapMs } = availabilityOf(serviceOf(log), kill, LOAD);
    expect([outages[0]?.to, longestGapMs]).toEqual([16_000, 6000]);
  });

  it('takes one stray acknowledgement for no recovery', () => {
    const log = acknowledged([...every(0, 10_000, 50), 12_000, ...every(16_000, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), kill, LOAD).outages[0]?.to).toBe(16_000);
  });

  it('says that a partition never recovered', () => {
    const outage = availabilityOf(serviceOf(acknowledged(every(0, 10_000, 50))), kill, LOAD).outages[0];
    expect(outage).toEqual({ faultId: 'kill-1', from: 10_000 });
  });

  // Red before: a stall of less than two seconds at the end was none, and a bound below that was met by a dead partition.
  it('holds a partition that did not come back within a short bound to be away, by whatever the load ended', () => {
    const dead = serviceOf(acknowledged(every(0, 38_800, 50)));
    const late = faultTurns(edges('process-kill', 'kill-1', { applied: 38_820, healed: 39_000 }), LOAD.to);
    const away = (recoverWithinMs: number): unknown => availabilityOf(dead, late, LOAD, { recoverWithinMs }).outages[0];
    expect(away(1000)).toEqual({ faultId: 'kill-1', from: 38_800 });
    expect(away(1500)).toBeUndefined();
  });

  it('does not take usual unevenness at the end of the load for an outage, however short the bound', () => {
    const uneven = serviceOf(acknowledged([...every(0, 20_000, 300), ...every(20_400, 39_600, 300)]));
    const outage = availabilityOf(uneven, kill, LOAD, { recoverWithinMs: 100 }).outages[0];
    expect(outage).toHaveProperty('to');
  });

  it('does not take the end of the load for an outage', () => {
    const late = faultTurns(edges('process-kill', 'kill-1', { applied: 39_900 }), LOAD.to);
    const outage = availabilityOf(serviceOf(acknowledged(every(0, 40_000, 50))), late, LOAD).outages[0];
    expect(outage === undefined || (outage.ms ?? 0) <= 50).toBe(true);
  });

  it('counts the recovery of a fault that takes the service away from its heal', () => {
    const turns = faultTurns(edges('wal-outage', 'wal-1', { applied: 10_000, healed: 20_000 }), LOAD.to);
    const log = acknowledged([...every(0, 10_000, 50), ...every(21_500, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), turns, LOAD).outages[0]).toMatchObject({
      ms: 11_500,
      recoveredAfterMs: 1500,
    });
  });

  // Red before: those on the right counted from the start, although nothing else can serve the partition while they last.
  it('counts from the heal also after a link that carried nothing, and after a node that is no broker', () => {
    const log = serviceOf(acknowledged([...every(0, 10_000, 50), ...every(21_500, 40_000, 50)]));
    const figures = (fault: string, victims: readonly number[]): unknown => {
      const turns = faultTurns(edges(fault, 'one', { applied: 10_000, healed: 20_000 }, victims), LOAD.to);
      const outage = availabilityOf(log, turns, LOAD).outages[0];
      return [outage?.recoveredAfterMs, outage?.afterAppliedMs, outage?.afterHealedMs];
    };
    const links = ['client-partition', 'response-loss', 'request-loss', 'connection-reset'];
    for (const fault of [...links, 'wal-io-stall', 'wal-io-error', 'disk-read-only']) {
      expect([fault, figures(fault, [1])]).toEqual([fault, [1500, 11_500, 1500]]);
    }
    for (const fault of ['process-pause', 'process-kill', 'graceful-stop', 'disk-full']) {
      expect([fault, figures(fault, [])]).toEqual([fault, [1500, 11_500, 1500]]);
      expect([fault, figures(fault, [1])]).toEqual([fault, [11_500, 11_500, 1500]]);
    }
  });

  // Red before: programs that cut the power of everybody missed a bound for as long as the power was off.
  it('counts from the heal also after programs that were done to every broker', () => {
    const log = serviceOf(acknowledged([...every(0, 10_000, 50), ...every(21_500, 40_000, 50)]));
    const recovered = (fault: string, everyBroker: boolean): unknown => {
      const lines = edges(fault, 'one', { applied: 10_000, healed: 20_000 }, [1, 2, 3], { everyBroker });
      return availabilityOf(log, faultTurns(lines, LOAD.to), LOAD).outages[0]?.recoveredAfterMs;
    };
    expect([recovered('command', true), recovered('command', false)]).toEqual([1500, 11_500]);
    expect(recovered('rolling-restart', true)).toBe(11_500);
  });

  // Red before: a leader killed while the log was away was held to have recovered slowly, because the log was away.
  it('counts the recovery of a fault amid such a one from the heal of that one', () => {
    const log = acknowledged([...every(100, 10_050, 50), ...every(20_500, 40_000, 50)]);
    const faults = [
      ...edges('wal-outage', 'wal-1', { applied: 10_000, healed: 20_000 }),
      ...edges('process-kill', 'kill-2', { applied: 12_000, healed: 14_000 }),
    ];
    const { outages } = availabilityOf(serviceOf(log), faultTurns(faults, LOAD.to), LOAD);
    expect(outages.map(({ faultId, recoveredAfterMs }) => [faultId, recoveredAfterMs])).toEqual([
      ['wal-1', 500],
      ['kill-2', 500],
    ]);
  });

  // Red before: a roll counted as applied when it was over, and then from its first stop, however long it took.
  it.each(['rolling-restart', 'crash-loop'])('counts the recovery from a stall amid a %s from its strike', (fault) => {
    const turns = faultTurns(edges(fault, 'roll-1', { applied: 10_000, healed: 30_000 }), LOAD.to);
    const log = acknowledged([...every(0, 15_000, 50), ...every(24_500, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), turns, LOAD).outages).toMatchObject([
      { faultId: 'roll-1', from: 15_000, to: 24_500, ms: 9500, recoveredAfterMs: 9500 },
    ]);
  });

  it('gives each of two faults its own outage', () => {
    const turns = faultTurns(
      [
        ...edges('process-kill', 'kill-1', { applied: 10_000, healed: 11_000 }),
        ...edges('process-kill', 'kill-2', { applied: 20_000, healed: 21_000 }),
      ],
      LOAD.to,
    );
    const log = acknowledged([...every(0, 10_000, 50), ...every(12_000, 20_000, 50), ...every(25_000, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), turns, LOAD).outages.map(({ ms }) => ms)).toEqual([2000, 5000]);
  });

  it('does not take the unevenness of a healthy partition for an outage, however long after the fault', () => {
    const log = acknowledged([...every(0, 30_000, 50), ...every(30_400, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), kill, LOAD).outages[0]).toMatchObject({ ms: 50, recoveredAfterMs: 50 });
  });

  it('does not take a stall that begins long after the heal for an outage, however long', () => {
    const log = acknowledged([...every(0, 26_000, 50), ...every(27_500, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), kill, LOAD).outages[0]).toMatchObject({ ms: 50, recoveredAfterMs: 50 });
  });

  it('takes a stall soon after the heal for an outage', () => {
    const log = acknowledged([...every(0, 24_000, 50), ...every(25_500, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), kill, LOAD).outages[0]).toMatchObject({ from: 24_000, ms: 1500 });
  });

  it('still says that a partition never recovered, whenever it went away', () => {
    const outage = availabilityOf(serviceOf(acknowledged(every(0, 30_000, 50))), kill, LOAD).outages[0];
    expect(outage).toEqual({ faultId: 'kill-1', from: 30_000 });
  });

  it('does not take what the control run shows as routine for an outage, and takes what is longer', () => {
    const log = acknowledged([...every(0, 12_000, 50), ...every(12_700, 40_000, 50)]);
    const control = [
      acknowledged(every(0, 9000, 50)),
      acknowledged([...every(0, 3000, 50), ...every(3800, 9000, 50)]),
    ].map(serviceOf);
    expect(routineStall(control)).toBe(800);
    expect(availabilityOf(serviceOf(log), kill, LOAD, { routineMs: routineStall(control) }).outages[0]?.ms).toBe(50);
    expect(availabilityOf(serviceOf(log), kill, LOAD, { routineMs: 600 }).outages[0]?.ms).toBe(700);
  });

  it('sees no routine in a control run in which nothing was acknowledged', () => {
    expect(routineStall([serviceOf(acknowledged([]))])).toBe(0);
  });

  it('finds an outage that began a while after the fault was applied', () => {
    const log = acknowledged([...every(0, 10_800, 50), ...every(14_000, 40_000, 50)]);
    expect(availabilityOf(serviceOf(log), kill, LOAD).outages[0]).toMatchObject({
      from: 10_800,
      to: 14_000,
      recoveredAfterMs: 4000,
    });
  });

  it('needs fewer acknowledgements of a partition that never had many', () => {
    const log = acknowledged([...every(0, 10_000, 1000), ...every(14_000, 40_000, 1000)]);
    expect(availabilityOf(serviceOf(log), kill, LOAD).outages[0]?.to).toBe(14_000);
  });

  // Red before: a partition that nobody asked any more had "never recovered".
  it('does not take a stall in which nothing was attempted for an outage', () => {
    const quiet = availabilityOf(serviceOf(askedOnly(every(0, 10_100, 50))), kill, LOAD);
    expect(quiet).toMatchObject({
      outages: [],
      notAttempted: [{ faultId: 'kill-1', from: 10_100 }],
      longestGapUnattempted: true,
    });
    expect(availabilityOf(serviceOf(acknowledged(every(0, 10_100, 50))), kill, LOAD)).toMatchObject({
      outages: [{ faultId: 'kill-1', from: 10_100 }],
    });
  });

  it('keeps what it measured of a partition that was asked no more after it had recovered', () => {
    const log = askedOnly([...every(0, 10_050, 50), ...every(13_000, 21_000, 50)]);
    const { outages, notAttempted } = availabilityOf(serviceOf(log), kill, LOAD);
    expect([outages.map(({ ms }) => ms), notAttempted]).toEqual([[2950], undefined]);
  });

  it('includes silence at the beginning and at the end of the load in the longest gap', () => {
    expect(availabilityOf(serviceOf(acknowledged([30_000])), [], LOAD)).toMatchObject({
      longestGapMs: 30_000,
      longestGapFrom: 0,
    });
    expect(availabilityOf(serviceOf(acknowledged([])), [], LOAD)).toMatchObject({ longestGapMs: 40_000, acked: 0 });
  });

  it('tells how much of an outage, as bounds count it, and of the longest gap ackproof itself stood still', () => {
    const service = serviceOf(acknowledged([...every(0, 10_000, 50), ...every(14_000, 40_000, 50)]));
    const standstills = [
      { from: 9000, to: 10_500 },
      { from: 11_000, to: 12_000 },
      { from: 13_800, to: 14_300 },
      { from: 30_000, to: 30_020 },
    ];
    const { outages, longestGapStoodStillMs } = availabilityOf(service, kill, LOAD, { standstills });
    const [outage] = outages;
    expect(outage).toMatchObject({ from: 10_000, to: 14_000, recoveredAfterMs: 4000, stoodStillMs: 1700 });
    expect(longestGapStoodStillMs).toBe(1700);
    expect(availabilityOf(service, kill, LOAD).outages[0]).not.toHaveProperty('stoodStillMs');
  });
});
