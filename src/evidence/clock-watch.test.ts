import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock.ts';
import { watchClock } from './clock-watch.ts';

/** A clock whose wall clock is set by hand at each look, and whose naps last longer; `ran` resolves when all were seen. */
const clockWith = (
  offsets: readonly number[],
  lateMs: readonly number[] = [],
): { readonly clock: Clock; readonly ran: Promise<unknown> } => {
  let now = 0;
  let looks = 0;
  const seen = new EventEmitter();
  return {
    ran: once(seen, 'all'),
    clock: {
      now: () => now,
      wall: () => 1_000_000 + now + (offsets[Math.min(looks, offsets.length - 1)] ?? 0),
      sleep: async (ms, signal) => {
        now += ms + (lateMs[looks] ?? 0);
        looks += 1;
        if (looks > offsets.length) seen.emit('all');
        await new Promise((continueLater) => setImmediate(continueLater));
        signal?.throwIfAborted();
      },
    },
  };
};

const jumpsOf = async (offsets: readonly number[]): Promise<readonly number[]> => {
  const { clock, ran } = clockWith(offsets);
  const jumps: number[] = [];
  const watch = watchClock({ clock, onJump: ({ jumpMs }) => jumps.push(jumpMs), onStall: () => undefined });
  await ran;
  await watch[Symbol.asyncDispose]();
  return jumps;
};

describe('the clock watch', () => {
  it('tells a wall clock that was set forward or back', async () => {
    expect(await jumpsOf([0, 0, 5_000, 5_000, 1_000, 1_000])).toEqual([5_000, -4_000]);
  });

  it('tells that the harness stood still, and nothing of naps that are a little late', async () => {
    const { clock, ran } = clockWith([0, 0, 0, 0], [0, 499, 9_000]);
    const stalls: number[] = [];
    const watch = watchClock({ clock, onJump: () => undefined, onStall: ({ stallMs }) => stalls.push(stallMs) });
    await ran;
    await watch[Symbol.asyncDispose]();
    expect(stalls).toEqual([9_000]);
  });

  it('says nothing of clocks that go alike, or are corrected a little', async () => {
    expect(await jumpsOf([0, 3, 90, 200, 150])).toEqual([]);
  });
});
