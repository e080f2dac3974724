import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('process-pause', () => {
  modelTest.for([
    { victim: { leaderOf: 'orders/0' }, node: 'broker/1' },
    { victim: { controller: 'leader' }, node: 'controller/1' },
    { victim: { objectStore: true }, node: 'object-store' },
    { victim: { volume: true }, node: 'volume' },
  ])(
    'freezes $node so that it takes connections and answers nothing, and wakes it up, never stops it',
    async ({ victim, node }, { target }) => {
      const { outcome, samples } = await runUntil(target, { fault: 'process-pause', victim });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      expect(target.cluster.acts).toEqual([`pause ${node}`, `resume ${node}`]);
      expect(samples.some(({ kind, seen }) => kind === 'effect' && seen.includes('timeout after'))).toBe(true);
    },
  );

  modelTest('is not confirmed by a process that stopped answering in another way', async ({ target }) => {
    const { control } = target.cluster;
    const pause = async () => {
      await target.cluster.brokers[0]?.die();
      return await Promise.resolve({ pid: 1, startedAt: 1 });
    };
    const can = {
      ...target.can,
      processes: { ...control, pause, state: async () => await Promise.resolve('paused' as const) },
    };
    const { outcome } = await runOn(
      {
        ...target,
        can: { ...can, processes: { ...can.processes, state: async () => await Promise.resolve('running' as const) } },
      },
      { fault: 'process-pause', victim: { broker: 1 }, duration: '900ms', heal: { timeout: '1s' } },
    );
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toBeDefined();
  });
});
