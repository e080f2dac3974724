import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import type { VictimSelector } from '../faults/fault.ts';
import { ackAge, awaitFreshAcks, exposedPartitions, tellExposure, unattempted } from './fault-exposure.ts';
import type { FaultStory } from './fault-story.ts';
import type { Part } from './part.ts';

const leaders: ReadonlyMap<number, number | undefined> = new Map([
  [0, 1],
  [1, 2],
  [2, undefined],
]);

interface Case {
  readonly brokers?: readonly number[];
  /** Time of the last acknowledgement of each partition before the fault at 1,000. */
  readonly lastAcks?: readonly (number | undefined)[];
  /** Partitions in which something was on its way between 1,100, when the fault was applied, and 1,900, when it was healed. */
  readonly attempted?: readonly number[];
  readonly applied?: boolean;
  readonly victim?: VictimSelector;
}

const NAMED: VictimSelector = { kind: 'leaderOf', topic: 'orders', partition: 0 };

const doubts = ({
  brokers = [1],
  lastAcks = [990, 990, 990],
  attempted = [0, 1, 2],
  applied = true,
  victim = NAMED,
}: Case): string[] => {
  const details: string[] = [];
  const part = { tell: ({ detail }: { detail: string }) => details.push(detail) } as unknown as Part;
  const moments = applied ? { intendedAt: 1000, appliedAt: 1100, healingAt: 1900 } : {};
  const story = { id: 'kill-1', spec: { victim }, brokers, exposure: [], ...moments } as unknown as FaultStory;
  tellExposure(
    part,
    story,
    leaders,
    {
      lastAckBefore: (partition) => lastAcks[partition],
      attemptedWithin: (partition, from, to) => from === 1100 && to === 1900 && attempted.includes(partition),
    },
    () => [],
  );
  return details;
};

const FAULT_PARTITIONS = [0, 2];

const waiting = async (lastAckAt: (partition: number, now: number) => number | undefined, abortMs = Infinity) => {
  const clock = new VirtualClock();
  const aborting = new AbortController();
  if (abortMs < Infinity) void clock.sleep(abortMs).then(() => aborting.abort());
  const part = { at: () => clock.now() } as unknown as Part;
  const load = { lastAckBefore: (partition: number) => lastAckAt(partition, clock.now()) };
  await clock.run(awaitFreshAcks(part, clock, FAULT_PARTITIONS, load, () => [], aborting.signal));
  return clock.now();
};

test('a fault waits until each of its partitions was acknowledged a moment ago', async () => {
  expect(await waiting(() => 0)).toBe(0);
  // Partition 0 is acknowledged every 400 ms, and partition 2 for the first time after 1,050.
  const lastAckAt = (partition: number, now: number): number | undefined => {
    if (partition === 0) return Math.floor(now / 400) * 400;
    return now < 1050 ? undefined : now;
  };
  expect(await waiting(lastAckAt)).toBeGreaterThanOrEqual(1200);
  expect(await waiting(lastAckAt)).toBeLessThan(1250);
});

test('a fault does not wait for ever, nor in a run that is being stopped', async () => {
  expect(await waiting(() => undefined)).toBe(5000);
  expect(await waiting(() => undefined, 300)).toBe(300);
});

test('a fault lasts until something was attempted in each of its partitions', () => {
  const story = { id: 'kill-1', spec: { victim: NAMED }, brokers: [], appliedAt: 1100 } as unknown as FaultStory;
  const part = { at: () => 1500 } as unknown as Part;
  const awaited = (attempted: readonly number[]) =>
    unattempted(part, story, leaders, {
      attemptedWithin: (partition, from, to) => from === 1100 && to === 1500 && attempted.includes(partition),
    });
  expect(awaited([0, 1])).toBe('nothing was attempted in partition 2');
  expect(awaited([0, 1, 2])).toBeUndefined();
});

test('a fault on brokers is about what they led; one on nobody in particular about every partition', () => {
  expect(exposedPartitions(NAMED, [2], leaders)).toEqual([1]);
  expect(exposedPartitions(NAMED, [], leaders)).toEqual([0, 1, 2]);
});

test('a fresh acknowledgement in each victim partition leaves no doubt', () => {
  expect(doubts({})).toEqual([]);
  expect(doubts({ lastAcks: [800, undefined, undefined] })).toEqual([]);
});

test('an acknowledgement older than 200 ms when the fault was meant, or none, proves nothing', () => {
  expect(doubts({ lastAcks: [799] })[0]).toMatch(/partition 0 in the 200 ms before it \(the last was 201 ms old\)/);
  expect(doubts({ lastAcks: [undefined] })[0]).toMatch(/there was none/);
});

test('a victim that led nothing proves nothing', () => {
  expect(doubts({ brokers: [9] })[0]).toMatch(/no partition of the load was led by a victim/);
});

test('a window in which nothing was attempted proves nothing', () => {
  expect(doubts({ attempted: [] })).toEqual(['kill-1: nothing was attempted in partition 0 inside its window']);
  expect(doubts({ attempted: [1, 2] })).toEqual(doubts({ attempted: [] }));
});

test('a fault that was never applied is told by its edges, not here', () => {
  expect(doubts({ applied: false, brokers: [9], attempted: [] })).toEqual([]);
});

// Red before: it led nothing, so it was about nothing, and every such run was inconclusive.
test('a fault on a follower is about the partition that it follows', () => {
  const follower: VictimSelector = { kind: 'followerOf', topic: 'orders', partition: 0 };
  expect(exposedPartitions(follower, [9], leaders)).toEqual([0]);
  expect(exposedPartitions(follower, [2], leaders)).toEqual([0, 1]);
  expect(doubts({ brokers: [9], victim: follower })).toEqual([]);
  expect(doubts({ brokers: [9], victim: follower, lastAcks: [700] })[0]).toMatch(/partition 0 in the 200 ms before it/);
});

test('an age counts from the intent, and is never below nothing', () => {
  expect(ackAge(undefined, 1000, [])).toBeUndefined();
  expect(ackAge(900, 1000, [])).toEqual({ ageMs: 100, countedMs: 100 });
  expect(ackAge(1040, 1000, [])).toEqual({ ageMs: 0, countedMs: 0 });
});

const outage = { id: 'wal-1', intendedAt: 1000, appliedAt: 1100, healedAt: 9000 };

// Red before: a leader killed while the log was away made the run inconclusive, and waited five seconds for an acknowledgement.
test('what an earlier fault has stopped is as fresh as it was when that one began', () => {
  const counted = (last: number): number | undefined => ackAge(last, 3000, [outage])?.countedMs;
  expect([counted(950), counted(1150), counted(500)]).toEqual([50, 0, 500]);
});

// Red before: followers that were asked to stop took some seconds for it, and the kill that followed proved less than it had to.
test('a fault may take its time to stop what it stops: until it was seen to be done', () => {
  const stop = { ...outage, id: 'graceful-stop-1', shownAt: 2200 };
  expect(ackAge(2000, 3000, [stop])).toEqual({ ageMs: 1000, countedMs: 0, silencedBy: 'graceful-stop-1' });
  expect(ackAge(2750, 3000, [stop])).toEqual({ ageMs: 250, countedMs: 250 });
});

// Red before: the report told the age that counts for the true one, as if something had been acknowledged a moment ago.
test('the true age is told, and the fault under which the partition was silent', () => {
  expect(ackAge(950, 3000, [outage])).toEqual({ ageMs: 2050, countedMs: 50, silencedBy: 'wal-1' });
  const later = { id: 'wal-2', intendedAt: 1200, appliedAt: 1300 };
  expect(ackAge(950, 3000, [later, outage])).toMatchObject({ countedMs: 50, silencedBy: 'wal-1' });
  const details: string[] = [];
  const part = { tell: ({ detail }: { detail: string }) => details.push(detail) } as unknown as Part;
  const moments = { intendedAt: 3000, appliedAt: 3100, healingAt: 4000 };
  const story = {
    id: 'kill-2',
    spec: { victim: NAMED },
    brokers: [1],
    exposure: [],
    ...moments,
  } as unknown as FaultStory;
  const load = { lastAckBefore: () => 500, attemptedWithin: () => true };
  tellExposure(part, story, leaders, load, () => [outage]);
  expect(story.exposure).toEqual([{ partition: 0, lastAckAgeMs: 2500, silencedBy: 'wal-1' }]);
  expect(details[0]).toMatch(/\(the last was 2500 ms old, and 500 ms when wal-1 began\)$/);
});

test('what stopped long after an earlier fault began, or after it was healed, is not excused by it', () => {
  const plain = (last: number, intendedAt: number, ...others: Parameters<typeof ackAge>[2]): number | undefined => {
    const age = ackAge(last, intendedAt, others);
    expect(age).not.toHaveProperty('silencedBy');
    return age?.countedMs;
  };
  expect(plain(1700, 3000, outage)).toBe(1300);
  expect(plain(950, 9500, outage)).toBe(8550);
  expect(plain(950, 3000, { id: 'kill-2', intendedAt: 3100, appliedAt: 3200 })).toBe(2050);
  expect(plain(950, 3000, { id: 'kill-2' })).toBe(2050);
});
