import { describe, expect } from 'vitest';
import { altered } from '../../test/faults/model-containers.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

const full = { fault: 'disk-full', victim: { broker: 2 } };

describe.concurrent('disk-full', () => {
  modelTest(
    'fills the log volume so that writes are refused for want of storage, and empties it',
    async ({ target }) => {
      const { outcome, samples } = await runUntil(target, { ...full, params: { leave: '16KiB' } });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      expect(samples.some(({ kind, holds, seen }) => kind === 'effect' && holds && seen.includes('kafka:56'))).toBe(
        true,
      );
      expect(samples.map(({ seen }) => seen)).toContain('16KiB of /data of broker/2 are free');
      expect(target.cluster.acts).toEqual(['fill broker/2', 'empty broker/2']);
      expect([...target.cluster.topics.keys()]).toEqual(['orders-real']);
    },
  );

  modelTest('takes a broker that ended for it as an effect, and starts it once there is space', async ({ target }) => {
    const { containers, control } = target.cluster;
    const fatal = altered(containers, {
      fill: async (node, fill) => {
        await containers.fill(node, fill);
        await control.kill(node, new AbortController().signal);
      },
    });
    const { outcome, samples } = await runUntil({ ...target, can: { ...target.can, containers: fatal } }, full);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.map(({ seen }) => seen)).toContain('broker/2 ended by itself, with 137');
    expect(target.cluster.acts).toEqual(['fill broker/2', 'kill broker/2', 'empty broker/2', 'start broker/2']);
  });

  modelTest('is not confirmed while writes are still taken', async ({ target }) => {
    const { containers } = target.cluster;
    const harmless = altered(containers, {
      fillState: async () => await Promise.resolve({ freeBytes: 1024 ** 2, isThere: true }),
      fill: async () => await Promise.resolve(),
    });
    const can = { ...target.can, containers: harmless };
    const { outcome } = await runOn({ ...target, can }, { ...full, duration: '600ms', heal: { timeout: '1s' } });
    expect(outcome.confirmed).toBe(false);
  });

  modelTest('refuses a volume without a size of its own', async ({ target }) => {
    target.cluster.containers.isCapped = false;
    const { outcome } = await runOn(target, { ...full, duration: '1s' });
    expect(outcome.reason).toContain('filling it would fill the disk of its host');
    expect(target.cluster.acts).toEqual([]);
  });

  modelTest('refuses a volume that has no more free than is to be left', async ({ target }) => {
    const { outcome } = await runOn(target, { ...full, duration: '1s', params: { leave: '1GiB' } });
    expect(outcome.reason).toContain('has 64MiB free already');
  });

  modelTest('takes the space of a volume whose server can be asked to have no more', async ({ target }) => {
    const can = Object.fromEntries(Object.entries(target.can).filter(([name]) => name !== 'containers'));
    const { outcome, samples } = await runUntil({ ...target, can }, { ...full, params: { leave: '4KiB' } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const shown = samples.filter(({ holds }) => holds).map(({ kind, seen }) => `${kind} ${seen}`);
    expect(shown.some((each) => each.startsWith('mechanism volume reads back full of broker-2-*'))).toBe(true);
    expect(shown.some((each) => each.startsWith('effect a scratch of broker/2: http:507'))).toBe(true);
    expect(shown.some((each) => each.startsWith('control the volume of broker/1: ok'))).toBe(true);
  });
});
