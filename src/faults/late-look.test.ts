import { expect, it } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { seenWithin } from './late-look.ts';

const never = new AbortController().signal;

it('sees what comes a little late, at once when it comes', async () => {
  const clock = new VirtualClock();
  const seen = seenWithin(clock, 1000, async () => await Promise.resolve(clock.now() >= 350), never);
  expect(await clock.run(seen)).toBe(true);
  expect(clock.now()).toBe(400);
});

it('says so when it never comes, and waits no longer than it was told', async () => {
  const clock = new VirtualClock();
  expect(await clock.run(seenWithin(clock, 1000, async () => await Promise.resolve(false), never))).toBe(false);
  expect(clock.now()).toBe(1000);
});
