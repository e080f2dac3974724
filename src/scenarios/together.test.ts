import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { restUntil, together } from './together.ts';

const never = new AbortController().signal;

/** Ends a moment after its signal aborts, as a fault that heals does. */
const healing =
  (told: string[]) =>
  async (signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => setTimeout(resolve, 5), { once: true });
    });
    told.push('healed');
  };

test('when one breaks the others are told to stop, and its error comes when they have', async () => {
  const told: string[] = [];
  const broken = together(never, [healing(told), () => Promise.reject(new Error('the disk is full'))]);
  await expect(broken).rejects.toThrow('the disk is full');
  expect(told).toEqual(['healed']);
});

test('the first error wins over those that follow from it', async () => {
  const second = async (signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    throw new Error('second');
  };
  await expect(together(never, [second, () => Promise.reject(new Error('first'))])).rejects.toThrow('first');
});

test('it stops with its parent, also with one that has stopped before', async () => {
  const parent = new AbortController();
  const told: string[] = [];
  const running = together(parent.signal, [healing(told)]);
  parent.abort();
  await running;
  let wasAborted = false;
  await together(parent.signal, [
    (signal) => {
      wasAborted = signal.aborted;
      return Promise.resolve();
    },
  ]);
  expect([told, wasAborted]).toEqual([['healed'], true]);
});

const pending = new Promise<void>(() => undefined);

test.each([
  ['when its time is over', never, pending, 5000],
  ['when what it waits for is done', never, Promise.resolve(), 0],
  ['when it is told to stop', AbortSignal.abort(new Error('stop')), pending, 0],
])('a rest ends %s and leaves no timer behind', async (_, signal, other, endsAt) => {
  const clock = new VirtualClock();
  await clock.run(restUntil(clock, 5000, signal, other));
  expect(clock.now()).toBe(endsAt);
  await expect(clock.run(pending)).rejects.toThrow('nobody sleeps');
});
