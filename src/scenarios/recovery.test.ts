import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import type { Part } from './part.ts';
import { awaitRecovery } from './recovery.ts';

interface Case {
  /** Acknowledgements of partition 0 and of partition 1; the plan ends, and the wait begins, at 20,000. */
  readonly acks: readonly (readonly number[])[];
  readonly boundMs?: number;
  /** When the fault was applied; undefined for one that never was. */
  readonly appliedAt?: number;
  readonly abortMs?: number;
}

const PLAN_END = 20_000;

const every = (from: number, to: number, stepMs: number): number[] =>
  Array.from({ length: Math.floor((to - from) / stepMs) + 1 }, (_, index) => from + index * stepMs);

const always = every(0, 40_000, 50);
/** Away from the fault at 10,000 until `back`. */
const awayUntil = (back: number): number[] => [...every(0, 10_000, 50), ...every(back, 40_000, 50)];

/** How long was waited, ms, and what was told. */
const waited = async ({ acks, boundMs, appliedAt, abortMs = Infinity }: Case): Promise<[number, readonly string[]]> => {
  const clock = new VirtualClock();
  await clock.run(clock.sleep(PLAN_END));
  const stopping = new AbortController();
  if (abortMs < Infinity) void clock.sleep(abortMs).then(() => stopping.abort(new Error('stopped')));
  const told: string[] = [];
  const part = {
    partitions: acks.map((_, partition) => partition),
    at: () => clock.now(),
    tell: ({ anomaly, detail }: { anomaly: string; detail: string }) => told.push(`${anomaly}: ${detail}`),
  } as unknown as Part;
  const load = { servedTimes: (partition: number) => (acks[partition] ?? []).filter((at) => at <= clock.now()) };
  const stories = [{ appliedAt }];
  await clock.run(awaitRecovery({ part, clock, load, stories, boundMs }, stopping.signal));
  return [clock.now() - PLAN_END, told];
};

test('a load whose partitions are all served ends as planned', async () => {
  expect(await waited({ acks: [always, awayUntil(15_000)], appliedAt: 10_000 })).toEqual([0, []]);
});

// Red before: the first acknowledgement ended the load, and the judge, which needs five, said "never".
test('a partition that comes back late is waited for until the judge would say so too', async () => {
  const [ms, told] = await waited({ acks: [always, awayUntil(21_000)], appliedAt: 10_000 });
  expect(ms).toBe(1200);
  expect(told).toEqual([]);
  const stray = [...every(0, 10_000, 50), 20_500, ...every(26_000, 40_000, 50)];
  expect((await waited({ acks: [stray], appliedAt: 10_000 }))[0]).toBe(6200);
});

test('an acknowledgement right before the planned end is no recovery either', async () => {
  const lone = [...every(0, 10_000, 50), 19_990, ...every(23_000, 40_000, 50)];
  expect((await waited({ acks: [lone], appliedAt: 10_000 }))[0]).toBe(3200);
});

test('a partition that is acknowledged rarely needs fewer', async () => {
  const rare = [...every(0, 10_000, 2000), ...every(20_500, 40_000, 2000)];
  expect((await waited({ acks: [rare], appliedAt: 10_000 }))[0]).toBe(500);
});

test('a partition that does not come back is told where no bound says it', async () => {
  const dead = every(0, 10_000, 50);
  expect(await waited({ acks: [always, dead], appliedAt: 10_000 })).toEqual([
    12_000,
    ['no-progress: the load was not acknowledged again in partition 1 within 12000 ms'],
  ]);
  expect(await waited({ acks: [dead], appliedAt: 10_000, boundMs: 3000 })).toEqual([5000, []]);
});

// Red before: any bound kept it silent, although a bound on a fault that never acted measures nothing.
test('a bound that has no fault to count from does not keep a dead partition silent', async () => {
  const [, told] = await waited({ acks: [every(0, 10_000, 50)], boundMs: 3000 });
  expect(told).toEqual(['no-progress: the load was not acknowledged again in partition 0 within 5000 ms']);
});

test('a load that is being stopped is not waited for, and nothing is told of it', async () => {
  expect(await waited({ acks: [[]], appliedAt: 10_000, abortMs: 300 })).toEqual([300, []]);
});
