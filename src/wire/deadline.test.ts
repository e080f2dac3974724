import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock.ts';
import { deadlineAfter, isPassingTrouble, tryUntil } from './deadline.ts';
import { WireError } from './wire-error.ts';

/** A clock that only moves when somebody sleeps. */
const virtualClock = (): Clock & { slept: number[] } => {
  let nowMs = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => nowMs,
    wall: () => nowMs,
    sleep: (ms, signal) => {
      if (signal?.aborted === true) return Promise.reject(new Error('aborted'));
      slept.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
  };
};

const refused = (kafkaCode: number): WireError => new WireError('WIRE_REFUSED', 'Refused.', { kafkaCode });

describe('trying until a deadline', () => {
  it('pauses longer and longer, and succeeds as soon as an attempt does', async () => {
    const clock = virtualClock();
    let tries = 0;
    const attempt = (): Promise<string> => (++tries < 7 ? Promise.reject(refused(6)) : Promise.resolve('there'));
    expect(await tryUntil(deadlineAfter(5000, undefined, clock), 'it', attempt, isPassingTrouble, { clock })).toBe(
      'there',
    );
    expect(clock.slept).toEqual([20, 40, 80, 160, 250, 250]);
  });

  it('gives up in time and says what was awaited, how often it tried and what it saw last', async () => {
    const clock = virtualClock();
    const given = tryUntil(
      deadlineAfter(1000, undefined, clock),
      'the leader',
      () => Promise.reject(refused(5)),
      isPassingTrouble,
      { clock },
    );
    await expect(given).rejects.toMatchObject({
      code: 'WIRE_UNREACHABLE',
      kafkaCode: 5,
      message: expect.stringMatching(/the leader after \d+ tries; last seen: .*Refused/) as string,
    });
    expect(clock.now()).toBeLessThanOrEqual(1000);
    expect(clock.now()).toBeGreaterThan(950);
  });

  it('does not repeat what cannot pass', async () => {
    const clock = virtualClock();
    const given = tryUntil(deadlineAfter(1000, undefined, clock), 'it', () => Promise.reject(refused(29)));
    await expect(given).rejects.toMatchObject({ code: 'WIRE_REFUSED', kafkaCode: 29 });
    expect(clock.slept).toEqual([]);
  });

  it('ends with WIRE_CANCELLED when cancelled while it pauses', async () => {
    const clock = virtualClock();
    const signal = AbortSignal.abort();
    const given = tryUntil(
      deadlineAfter(1000, signal, clock),
      'it',
      () => Promise.reject(refused(6)),
      isPassingTrouble,
      { clock },
    );
    await expect(given).rejects.toMatchObject({ code: 'WIRE_CANCELLED' });
  });

  it('takes ended connections and passing codes for passing trouble, and nothing else', () => {
    expect(isPassingTrouble(refused(6))).toBe(true);
    expect(isPassingTrouble(refused(7))).toBe(true);
    expect(isPassingTrouble(refused(10))).toBe(false);
    expect(isPassingTrouble(new WireError('WIRE_CLOSED', 'Closed.'))).toBe(true);
    expect(isPassingTrouble(new WireError('WIRE_CANCELLED', 'Cancelled.'))).toBe(false);
    expect(isPassingTrouble(new WireError('WIRE_TRUNCATED', 'Cut.'))).toBe(false);
    expect(isPassingTrouble(new TypeError('bug'))).toBe(false);
  });
});
