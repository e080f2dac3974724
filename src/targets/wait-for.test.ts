import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const virtualClock = (): Clock => {
  let now = 0;
  return {
    now: () => now,
    wall: () => now,
    sleep: async (ms) => {
      now += ms;
      await Promise.resolve();
    },
  };
};

describe('waitFor', () => {
  it('gives the value of the first look that is done', async () => {
    let looks = 0;
    const value = await waitFor({ awaited: 'it', deadlineMs: 100, clock: virtualClock() }, () => {
      looks++;
      return looks === 3 ? done('there') : notYet('not there');
    });
    expect(value).toBe('there');
  });

  it('names what was awaited, how long, and what was last seen', async () => {
    const waiting = waitFor({ awaited: 'the door to open', deadlineMs: 100, clock: virtualClock() }, () =>
      notYet('it is shut'),
    );
    await expect(waiting).rejects.toThrow(/Waited 100 ms for the door to open; last seen: it is shut/);
  });

  it('looks once even when the deadline is zero', async () => {
    await expect(waitFor({ awaited: 'it', deadlineMs: 0, clock: virtualClock() }, () => done(1))).resolves.toBe(1);
  });

  it('ends with the reason of its signal', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(waitFor({ awaited: 'it', deadlineMs: 100, signal }, () => done(1))).rejects.toThrow('stopped');
  });
});
