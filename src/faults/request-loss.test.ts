import { describe, expect } from 'vitest';
import { TOPIC } from '../../test/faults/model-target.ts';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('request-loss', () => {
  modelTest.for(['client', 's3-wal'])(
    'loses the request, so the write on the %s path took no effect',
    async (path, { target }) => {
      const { outcome, samples } = await runUntil(target, {
        fault: 'request-loss',
        victim: { broker: 2 },
        params: { path },
      });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      const proof = samples.find(({ kind, holds }) => kind === 'effect' && holds);
      expect(proof?.seen).toMatch(/: timeout after .* took no effect$/);
    },
  );

  modelTest('is refused where only the faulted path itself could say what became of a write', async ({ target }) => {
    const blind = { ...target, brokers: target.brokers.map((broker) => ({ ...broker, direct: broker.advertised })) };
    const seen = await runOn(blind, { fault: 'request-loss', victim: { broker: 2 }, duration: '1s' });
    expect(seen.outcome.reason).toContain('broker/2 cannot be asked past its proxy what became of a write.');
    expect([...target.cluster.topics.keys()]).toEqual([TOPIC]);
  });
});
