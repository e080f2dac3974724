import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelTarget, startModelTarget } from '../../test/faults/model-target.ts';
import { contextOn, definitionOf, runOn, specOf } from '../../test/faults/run-on.ts';

let target: ModelTarget;
beforeEach(async () => {
  target = await startModelTarget();
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});

const params = { interval: '10ms' };

describe('rolling-restart', () => {
  it('cycles every broker once, one after the other', async () => {
    const { outcome, samples } = await runOn(target, { fault: 'rolling-restart', params });
    expect(outcome.confirmed).toBe(true);
    expect(target.cluster.acts).toEqual([1, 2, 3].flatMap((id) => [`terminate broker/${id}`, `start broker/${id}`]));
    expect(samples.map(({ seen }) => seen)).toContain('at most 1 broker down at a time');
  });

  it('is not confirmed when a broker took its leaders down with it', async () => {
    target.cluster.handsOver = false;
    const { outcome } = await runOn(target, { fault: 'rolling-restart', params });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toContain('had not moved');
  });

  it('rolls in a random order that the seed decides', async () => {
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
