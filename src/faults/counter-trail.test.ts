import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { CounterTrail } from './counter-trail.ts';

test('a counter rose of late only where a later reading was higher', async () => {
  const clock = new VirtualClock();
  const trail = new CounterTrail(clock);
  const read = async (count: number, afterMs: number): Promise<readonly boolean[]> => {
    await clock.run(clock.sleep(afterMs));
    trail.note(count);
    return [trail.roseWithin(1000), trail.stoodFor(1000)];
  };
  expect(await read(7, 0)).toEqual([false, false]);
  expect(await read(7, 900)).toEqual([false, false]);
  expect(await read(8, 200)).toEqual([true, false]);
  expect(await read(8, 1000)).toEqual([true, true]);
  expect(await read(8, 1)).toEqual([false, true]);
});

test('a counter that began anew did not rise by that', () => {
  const clock = new VirtualClock();
  const trail = new CounterTrail(clock);
  for (const count of [9, 2]) trail.note(count);
  expect(trail.roseWithin(1000)).toBe(false);
  trail.note(3);
  expect(trail.roseWithin(1000)).toBe(true);
});
