import { describe, expect } from 'vitest';
import { altered } from '../../test/faults/model-containers.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

const ACTS = ['disconnect broker/2', 'connect broker/2'];

describe.concurrent('node-isolate', () => {
  modelTest('takes the leader of that moment out of its network and puts its endpoint back', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'node-isolate', victim: { leaderOf: 'orders/1' } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/2'] });
    expect(target.cluster.acts).toEqual(ACTS);
    const effects = samples.filter(({ kind, holds }) => kind === 'effect' && holds).map(({ seen }) => seen);
    expect(effects.some((seen) => seen.startsWith('new connection to broker/2'))).toBe(true);
    expect(effects.some((seen) => seen.startsWith('broker/2 directly'))).toBe(true);
  });

  modelTest('is not confirmed while the victim can still be reached by one of its ways', async ({ target }) => {
    const { containers } = target.cluster;
    let isOut = false;
    const leaky = altered(containers, {
      disconnect: async () => {
        isOut = true;
        await Promise.resolve();
      },
      endpoints: async (node) => (isOut ? [] : await containers.endpoints(node)),
      connect: async () => {
        isOut = false;
        await Promise.resolve();
      },
    });
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, containers: leaky } },
      { fault: 'node-isolate', victim: { broker: 2 }, duration: '500ms', heal: { timeout: '1s' } },
    );
    expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(outcome.reason).toMatch(/^effect: .*broker\/2: ok in/);
  });

  modelTest('is not healed by an endpoint that lost its aliases', async ({ target }) => {
    const { containers } = target.cluster;
    const careless = altered(containers, {
      connect: async (node, endpoint) => await containers.connect(node, { ...endpoint, aliases: [] }),
    });
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, containers: careless } },
      { fault: 'node-isolate', victim: { broker: 2 }, duration: '500ms', heal: { timeout: '1500ms' } },
    );
    expect(outcome.healed).toBe('heal-failed');
    expect(outcome.reason).toContain('aliases in m-broker-2 is none, was broker-2');
  });

  modelTest('refuses a container that the engine lets leave no network', async ({ target }) => {
    const { containers } = target.cluster;
    const [endpoint] = await containers.endpoints('broker/2');
    const onHost = altered(containers, {
      endpoints: async () => await Promise.resolve([{ ...endpoint!, network: 'host' }]),
    });
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, containers: onHost } },
      { fault: 'node-isolate', victim: { broker: 2 }, duration: '1s' },
    );
    expect(outcome.reason).toContain('uses the network "host"');
    expect(target.cluster.acts).toEqual([]);
  });
});
