// Calling a store again: for how long, how often, and when not.
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from './store-unavailable.ts';
import { type Patience, untilAvailable } from './until-available.ts';

const patience = (signal = new AbortController().signal): Patience & { slept: number[] } => {
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    await Promise.resolve();
  };
  const clock = { now: () => 0, wall: () => 0, sleep };
  return { clock, retryMs: 10, retryMaxMs: 40, signal, onAway: () => undefined, slept };
};

const failing = (times: number, error: () => Error): (() => Promise<string>) => {
  let calls = 0;
  return async () => {
    await Promise.resolve();
    if (calls++ < times) throw error();
    return 'answer';
  };
};

describe('untilAvailable', () => {
  it('waits longer each time, up to the longest pause', async () => {
    const given = patience();
    expect(
      await untilAvailable(
        given,
        'x',
        failing(4, () => new StoreUnavailable('x', true)),
      ),
    ).toBe('answer');
    expect(given.slept).toEqual([10, 20, 40, 40]);
  });

  it('does not repeat a call that failed for another reason', async () => {
    const given = patience();
    await expect(
      untilAvailable(
        given,
        'x',
        failing(1, () => new Error('no bucket')),
      ),
    ).rejects.toThrow('no bucket');
    expect(given.slept).toEqual([]);
  });

  it('makes no call at all once the signal has aborted, and throws its reason', async () => {
    const controller = new AbortController();
    controller.abort(new Error('over'));
    const call = (): never => {
      throw new Error('called');
    };
    await expect(untilAvailable(patience(controller.signal), 'x', call)).rejects.toThrow('over');
  });
});
