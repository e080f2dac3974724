import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelTarget, startModelTarget } from '../../test/faults/model-target.ts';
import { runOn } from '../../test/faults/run-on.ts';

let target: ModelTarget;
beforeEach(async () => {
  target = await startModelTarget();
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});

describe('process-kill', () => {
  it('kills the partition’s leader of that moment and starts it again', async () => {
    const { outcome } = await runOn(target, {
      fault: 'process-kill',
      victim: { leaderOf: 'orders/1' },
      duration: '800ms',
    });
    expect(outcome).toMatchObject({ confirmed: true, victims: ['broker/2'] });
    expect(outcome.chosen).toContain('broker 2, the leader of orders/1 in epoch 0');
    expect(target.cluster.acts).toEqual(['kill broker/2', 'start broker/2']);
    expect(target.cluster.topics.get('orders-real')?.[1]).toMatchObject({ epoch: 1 });
  });

  it.each([
    [{ controller: 'leader' }, 'controller/1'],
    [{ objectStore: true }, 'object-store'],
  ])('also kills %o, with the brokers as control', async (victim, node) => {
    const { outcome, samples } = await runOn(target, { fault: 'process-kill', victim, duration: '600ms' });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: [node] });
    expect(samples.some(({ kind, seen }) => kind === 'control' && seen.startsWith('broker/1 directly: ok'))).toBe(true);
  });

  it('is not confirmed while the others still name the dead broker', async () => {
    const lying = target.cluster.registered();
    target.cluster.registered = () => lying;
    const { outcome } = await runOn(target, { fault: 'process-kill', victim: { broker: 3 }, duration: '700ms' });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toContain('metadata still names broker 3');
  });

  it('ends early when somebody else starts the process again', async () => {
    const restart = setTimeout(() => void target.cluster.control.start('broker/1', new AbortController().signal), 1100);
    const { outcome } = await runOn(target, { fault: 'process-kill', victim: { broker: 1 }, duration: '3s' });
    clearTimeout(restart);
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toMatch(/ended-early: broker\/1 is running/);
  });

  it('refuses to take every broker down', async () => {
    const { outcome } = await runOn(target, { fault: 'process-kill', victim: { random: 3 }, duration: '1s' });
    expect(outcome.reason).toContain('every broker of the cluster down at once');
    expect(target.cluster.acts).toEqual([]);
  });
});
