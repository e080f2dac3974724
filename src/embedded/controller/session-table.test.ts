import { describe, expect, it } from 'vitest';
import type { Clock } from '../../clock.ts';
import { SessionTable } from './session-table.ts';

const handClock = (): Clock & { forward(ms: number): void } => {
  let now = 0;
  return {
    now: () => now,
    wall: () => now,
    sleep: async () => {
      await Promise.resolve();
    },
    forward: (ms) => {
      now += ms;
    },
  };
};

describe('sessions', () => {
  it('lapse for the broker that is silent and not for the one that is heard', () => {
    const clock = handClock();
    const sessions = new SessionTable(clock, 1000);
    sessions.touch(1);
    sessions.touch(2);
    for (let step = 0; step < 11; step++) {
      expect(sessions.lapsed([1, 2])).toEqual([]);
      clock.forward(100);
      sessions.touch(2);
    }
    expect(sessions.lapsed([1, 2])).toEqual([1]);
  });

  it('begin anew when the controller itself was asleep', () => {
    const clock = handClock();
    const sessions = new SessionTable(clock, 1000);
    sessions.touch(1);
    clock.forward(5000);
    expect(sessions.lapsed([1])).toEqual([]);
    for (let step = 0; step < 10; step++) {
      clock.forward(100);
      expect(sessions.lapsed([1])).toEqual([]);
    }
    clock.forward(100);
    expect(sessions.lapsed([1])).toEqual([1]);
  });

  it('begin with the first look for a broker that was live before the controller started', () => {
    const clock = handClock();
    const sessions = new SessionTable(clock, 1000);
    expect(sessions.lapsed([7])).toEqual([]);
    for (let step = 0; step < 10; step++) {
      clock.forward(100);
      expect(sessions.lapsed([7])).toEqual([]);
    }
    clock.forward(100);
    expect(sessions.lapsed([7])).toEqual([7]);
  });
});
