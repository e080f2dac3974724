import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock.ts';
import { done, notYet, waitFor, within } from './wait-for.ts';

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

describe('within', () => {
  const never = async (signal: AbortSignal): Promise<never> =>
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });

  it('ends the work at its deadline', async () => {
    await expect(within(20, undefined, never)).rejects.toThrow('20 ms are over');
  });

  it('ends the work with the reason of the signal it was given', async () => {
    const abort = new AbortController();
    const working = within(60_000, abort.signal, never);
    abort.abort(new Error('enough'));
    await expect(working).rejects.toThrow('enough');
  });

  it('does not begin when that signal has aborted already', async () => {
    let began = false;
    const working = within(60_000, AbortSignal.abort(new Error('too late')), async () => {
      began = true;
      await Promise.resolve();
    });
    await expect(working).rejects.toThrow('too late');
    expect(began).toBe(false);
  });

  it('leaves no listener behind, however often it is used', async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 50; count++) await within(60_000, signal, async () => await Promise.resolve(count));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
