import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

const throttle = { fault: 'cpu-throttle', victim: { broker: 2 } };

describe.concurrent('cpu-throttle', () => {
  modelTest(
    'limits the CPU of a broker so that it answers late, and takes only that limit back',
    async ({ target }) => {
      const { containers } = target.cluster;
      const before = await containers.limits('broker/2');
      const { outcome, samples } = await runUntil(
        target,
        { ...throttle, params: { quota: '5%' } },
        { first: async () => await containers.setLimits('broker/2', { memorySwapBytes: 7 }) },
      );
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      expect(samples.some(({ kind, holds, seen }) => kind === 'mechanism' && holds && seen.includes('periods'))).toBe(
        true,
      );
      expect(await containers.limits('broker/2')).toEqual({ ...before, memorySwapBytes: 7 });
    },
  );

  modelTest('is not confirmed where the kernel counts no waiting', async ({ target }) => {
    target.cluster.containers.counts = false;
    const { outcome } = await runUntil(target, throttle, { seen: /throttled in 0 periods, no more of late/ });
    expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(outcome.reason).toContain('no more of late');
  });

  modelTest('refuses to give a container no less than it may use', async ({ target }) => {
    await target.cluster.containers.setLimits('broker/2', { cpuQuotaUs: 5000 });
    const { outcome } = await runOn(target, { ...throttle, duration: '1s' });
    expect(outcome.reason).toContain('may use 0.05 of a CPU');
  });
});
