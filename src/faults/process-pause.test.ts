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

describe('process-pause', () => {
  it.each([
    [{ leaderOf: 'orders/0' }, 'broker/1'],
    [{ controller: 'leader' }, 'controller/1'],
    [{ objectStore: true }, 'object-store'],
  ])(
    'freezes %o so that it takes connections and answers nothing, and wakes it up, never stops it',
    async (victim, node) => {
      const { outcome, samples } = await runOn(target, { fault: 'process-pause', victim, duration: '1500ms' });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      expect(target.cluster.acts).toEqual([`pause ${node}`, `resume ${node}`]);
      expect(samples.some(({ kind, seen }) => kind === 'effect' && seen.includes('timeout after'))).toBe(true);
    },
  );

  it('is not confirmed by a process that stopped answering in another way', async () => {
    const { control } = target.cluster;
    const pause = async () => {
      await target.cluster.brokers[0]?.die();
      return await Promise.resolve({ pid: 1, startedAt: 1 });
    };
    const can = { ...target.can, processes: { ...control, pause, state: () => 'paused' as const } };
    const { outcome } = await runOn(
      { ...target, can: { ...can, processes: { ...can.processes, state: () => 'running' as const } } },
      { fault: 'process-pause', victim: { broker: 1 }, duration: '900ms', heal: { timeout: '1s' } },
    );
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toBeDefined();
  });
});
