import { expect, it } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import type { Clock } from '../clock.ts';
import { awaitHealed } from './await-healed.ts';
import type { HealSample } from './fault.ts';
import { HealTime } from './heal-time.ts';

type Answer = 'quick' | 'slow' | 'left';

const SAMPLES: Readonly<Record<Answer, HealSample>> = {
  quick: { kind: 'effect', holds: true, seen: 'ok in 1 ms' },
  slow: { kind: 'effect', holds: false, isSlow: true, seen: 'ok in 900 ms' },
  left: { kind: 'effect', holds: false, seen: 'refused' },
};

const timeOf = (clock: Clock, allowedMs: number): HealTime =>
  new HealTime({ clock, allowedMs, othersMs: 0, othersUntil: () => Number.NEGATIVE_INFINITY });

/** How long it took until it counted as healed, and what was said; `answers` decides each round, which takes `roundMs`. */
const healing = async (answers: (round: number) => Answer, roundMs = 10) => {
  const clock = new VirtualClock();
  let rounds = 0;
  const observeHealed = async (): Promise<readonly HealSample[]> => {
    await clock.sleep(roundMs);
    return [SAMPLES[answers(++rounds)]];
  };
  const wait = { clock, time: timeOf(clock, 30_000), what: 'x', fault: { observeHealed }, onRound: () => undefined };
  const said = await clock.run(awaitHealed(wait));
  return { rounds, tookMs: clock.now(), said };
};

it('is healed after ten quick rounds in a row', async () => {
  expect(await healing(() => 'quick')).toMatchObject({ rounds: 10, said: undefined });
  expect((await healing((round) => (round === 10 ? 'left' : 'quick'))).rounds).toBe(20);
});

it('is healed on a machine that has become busy, where answers come and only take longer, once it had time to come to rest', async () => {
  const { tookMs, said } = await healing(() => 'slow');
  expect(tookMs).toBeGreaterThan(15_000);
  expect(tookMs).toBeLessThan(15_100);
  expect(said).toBe('slower than before: ok in 900 ms');
});

it('needs fewer rounds where each takes long, so that a slow machine is not out of time before it has counted to ten', async () => {
  expect(await healing(() => 'quick', 3000)).toMatchObject({ rounds: 4 });
});

it('is never healed while something is left, however slow everything else is', async () => {
  await expect(healing((round) => (round % 9 === 0 ? 'left' : 'slow'))).rejects.toThrow(/refused/);
  await expect(healing((round) => (round % 3 === 0 ? 'left' : 'quick'), 3000)).rejects.toThrow(/refused/);
});

// Red before, now and then: a timer may fire a fraction of a millisecond before the clock says so, and what was seen was lost.
it('a round that was cut short says nothing, also where its timer fired a moment early', async () => {
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    wall: () => nowMs,
    sleep: async (ms, signal) => {
      await new Promise((done) => setImmediate(done));
      if (signal?.aborted !== true) nowMs += Math.max(0, ms - 0.4);
    },
  };
  let rounds = 0;
  const observeHealed = async (signal: AbortSignal): Promise<readonly HealSample[]> => {
    rounds += 1;
    if (rounds === 1) return [{ kind: 'effect', holds: false, seen: 'broker/2: timeout' }];
    return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
  const wait = { clock, time: timeOf(clock, 1000), what: 'it', fault: { observeHealed }, onRound: () => undefined };
  await expect(awaitHealed(wait)).rejects.toThrow(/last seen: broker\/2: timeout/);
});
