import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { contextOn, definitionOf, runOn, runUntil, specOf } from '../../test/faults/run-on.ts';
import type { JournalEdge } from './fault.ts';

const params = { interval: '10ms' };

describe.concurrent('rolling-restart', () => {
  modelTest('cycles every broker once, one after the other', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'rolling-restart', params });
    expect(outcome.confirmed).toBe(true);
    expect(target.cluster.acts).toEqual([1, 2, 3].flatMap((id) => [`terminate broker/${id}`, `start broker/${id}`]));
    expect(samples.map(({ seen }) => seen)).toContain('at most 1 broker down at a time');
  });

  // Red before: it was applied when its last broker was back, so that no outage under it was seen.
  modelTest('is applied when its first broker is told to stop', async ({ target }) => {
    const acts: number[] = [];
    const onEdge = ({ edge }: JournalEdge): void => {
      if (edge === 'applied') acts.push(target.cluster.acts.length);
    };
    await runOn(target, { fault: 'rolling-restart', params }, { onEdge });
    expect(acts).toEqual([0]);
  });

  // Red before: it waited until `confirm.timeout` for what had been decided as the last broker was back.
  modelTest('is not confirmed, at once, when a broker took its leaders down with it', async ({ target }) => {
    target.cluster.handsOver = false;
    const waitLong = { timeout: '10m' };
    const { outcome } = await runOn(target, { fault: 'rolling-restart', params, confirm: waitLong });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toContain('were not seen to move');
  });

  modelTest('rolls in a random order that the seed decides', async ({ target }) => {
    const orderOf = async (seed: number): Promise<string> => {
      const spec = specOf({ fault: 'rolling-restart', params: { order: 'random' } });
      const signal = new AbortController().signal;
      const prepared = await definitionOf('rolling-restart').prepare(
        contextOn(target, seed),
        spec.victim,
        spec.params,
        signal,
      );
      return prepared.chosen;
    };
    const orders = await Promise.all([1, 1, 2, 3, 4, 5].map(orderOf));
    expect(orders[0]).toBe(orders[1]);
    expect(new Set(orders).size).toBeGreaterThan(1);
  });
});
