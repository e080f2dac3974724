import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';
import { ToxiproxyProcess } from './backends/toxiproxy.ts';
import { swallowAnswers } from './toxics.ts';

const STILL_NAMED = /metadata still names broker 3/;

describe.concurrent('process-kill', () => {
  modelTest('kills the partition’s leader of that moment and starts it again', async ({ target }) => {
    const { outcome } = await runUntil(target, { fault: 'process-kill', victim: { leaderOf: 'orders/1' } });
    expect(outcome).toMatchObject({ confirmed: true, victims: ['broker/2'] });
    expect(outcome.chosen).toContain('broker 2, the leader of orders/1 in epoch 0');
    expect(target.cluster.acts).toEqual(['kill broker/2', 'start broker/2']);
    expect(target.cluster.topics.get('orders-real')?.[1]).toMatchObject({ epoch: 1 });
  });

  modelTest.for([
    { victim: { controller: 'leader' }, node: 'controller/1' },
    { victim: { objectStore: true }, node: 'object-store' },
    { victim: { volume: true }, node: 'volume' },
  ])('also kills $node, with the brokers as control', async ({ victim, node }, { target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'process-kill', victim });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: [node] });
    expect(samples.some(({ kind, seen }) => kind === 'control' && seen.startsWith('broker/1 directly: ok'))).toBe(true);
  });

  modelTest('is not confirmed while the others still name the dead broker', async ({ target }) => {
    const lying = target.cluster.registered();
    target.cluster.registered = () => lying;
    const { outcome } = await runUntil(target, { fault: 'process-kill', victim: { broker: 3 } }, { seen: STILL_NAMED });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toMatch(STILL_NAMED);
  });

  modelTest.for(['process-kill', 'process-pause'])(
    '%s is seen directly where another fault has taken the client path of its victim already',
    async (fault, { target }) => {
      const link = target.can.links.all.find((each) => each.path === 'client' && each.node === 'broker/2');
      if (link === undefined) throw new Error('the model has no client link');
      const proxy = new ToxiproxyProcess(link.admin);
      for (const toxic of swallowAnswers('other')) await proxy.addToxic(link.proxy, toxic);
      const { outcome } = await runUntil(target, { fault, victim: { broker: 2 } });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      expect((await proxy.readBack(link.proxy)).toxics).toHaveLength(1);
    },
  );

  modelTest('ends early when somebody else starts the process again', async ({ target }) => {
    const never = new AbortController().signal;
    const { outcome } = await runUntil(
      target,
      { fault: 'process-kill', victim: { broker: 1 } },
      { edge: 'unconfirmed' },
      {
        onEdge: ({ edge }) => {
          if (edge === 'confirmed') void target.cluster.control.start('broker/1', never);
        },
      },
    );
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toMatch(/ended-early: broker\/1 is running/);
  });

  modelTest('refuses to take every broker down', async ({ target }) => {
    const { outcome } = await runOn(target, { fault: 'process-kill', victim: { random: 3 }, duration: '1s' });
    expect(outcome.reason).toContain('every broker of the cluster down at once');
    expect(target.cluster.acts).toEqual([]);
  });
});
