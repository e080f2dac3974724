import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { ServiceBell } from './service-bell.ts';

const never = new AbortController().signal;

test('a wait ends when the bell rings for its partition, and for no other', async () => {
  const clock = new VirtualClock();
  const bell = new ServiceBell();
  void clock.sleep(100).then(() => bell.ring(1));
  void clock.sleep(300).then(() => bell.ring(0));
  const ends = Promise.all(
    [0, 1, 2].map(async (partition) => [await bell.wait(partition, 500, clock, never), clock.now()]),
  );
  expect(await clock.run(ends)).toEqual([
    [true, 300],
    [true, 100],
    [true, 500],
  ]);
});

test('a wait ends when the load is stopped, and says so', async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const bell = new ServiceBell();
  void clock.sleep(50).then(() => stop.abort());
  expect(await clock.run(bell.wait(0, 500, clock, stop.signal))).toBe(false);
  expect(clock.now()).toBe(50);
  expect(await bell.wait(0, 500, clock, stop.signal)).toBe(false);
});
