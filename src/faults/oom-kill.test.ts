import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('oom-kill', () => {
  modelTest(
    'takes the memory of the leader until it is ended, and starts it with its own limit',
    async ({ target }) => {
      const { containers } = target.cluster;
      const before = await containers.limits('broker/2');
      const { outcome, samples } = await runUntil(target, { fault: 'oom-kill', victim: { leaderOf: 'orders/1' } });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/2'] });
      expect(samples.map(({ seen }) => seen)).toEqual(
        expect.arrayContaining(['the engine told of a shortage of memory in broker/2', 'broker/2 ended with 137']),
      );
      expect(target.cluster.acts).toEqual([
        'limit broker/2',
        'take memory of broker/2',
        'end broker/2',
        'limit broker/2',
        'start broker/2',
      ]);
      expect(await containers.limits('broker/2')).toEqual(before);
      expect([...containers.expected]).toEqual([]);
    },
  );

  modelTest('is not injected where only other programs are ended', async ({ target }) => {
    target.cluster.containers.endsNodes = false;
    const { outcome } = await runOn(target, { fault: 'oom-kill', victim: { broker: 2 }, duration: '1s' });
    expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(outcome.reason).toContain('left without memory 5 times, and not ended');
  });
});
