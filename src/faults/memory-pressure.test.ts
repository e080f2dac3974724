import { describe, expect } from 'vitest';
import { altered } from '../../test/faults/model-containers.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

const squeeze = (limit: string) => ({ fault: 'memory-pressure', victim: { broker: 2 }, params: { limit } });

describe.concurrent('memory-pressure', () => {
  modelTest('makes a broker slow that is left too little, and gives it back all that it had', async ({ target }) => {
    const { containers } = target.cluster;
    const before = await containers.limits('broker/2');
    const { outcome, samples } = await runUntil(target, squeeze('250MiB'));
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.map(({ seen }) => seen)).toContain('broker/2: has hit its memory limit');
    expect(await containers.limits('broker/2')).toEqual(before);
    expect(target.cluster.acts).toEqual(['limit broker/2', 'limit broker/2']);
    expect([...containers.expected]).toEqual([]);
  });

  modelTest('also ends it, as its own doing, and starts it again with all that it had', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, squeeze('100MiB'));
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.map(({ seen }) => seen)).toContain('broker/2 ended with 137');
    expect(target.cluster.acts).toEqual(['limit broker/2', 'end broker/2', 'limit broker/2', 'start broker/2']);
  });

  modelTest('is not confirmed where the limit was never hit', async ({ target }) => {
    target.cluster.containers.counts = false;
    const { outcome } = await runUntil(target, squeeze('250MiB'), { seen: /has not hit/ });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toContain('has not hit its memory limit');
  });

  modelTest('tells what is in use where the kernel refuses the limit', async ({ target }) => {
    const { containers } = target.cluster;
    let refused = false;
    const strict = altered(containers, {
      setLimits: async (node, limits) => {
        if (!refused) {
          refused = true;
          throw new Error('device or resource busy');
        }
        await containers.setLimits(node, limits);
      },
    });
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, containers: strict } },
      { ...squeeze('250MiB'), duration: '1s' },
    );
    expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(outcome.reason).toContain('uses 300MiB, and its memory could not be limited to 250MiB');
  });

  modelTest('refuses a limit that takes nothing, and a container that has none', async ({ target }) => {
    const { outcome } = await runOn(target, { ...squeeze('4GiB'), duration: '1s' });
    expect(outcome.reason).toContain('may use 512MiB');
    await target.cluster.containers.setLimits('broker/2', { memoryBytes: 0 });
    const unlimited = await runOn(target, { ...squeeze('250MiB'), duration: '1s' });
    expect(unlimited.outcome.reason).toContain('has no memory limit');
  });
});
