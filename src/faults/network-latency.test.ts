import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn } from '../../test/faults/run-on.ts';
import { faultSchema } from './fault-schema.ts';

const slow = (params: Record<string, string>) => ({
  fault: 'network-latency',
  victim: { broker: 2 },
  duration: '1500ms',
  params: { latency: '300ms', ...params },
});

describe.concurrent('network-latency', () => {
  modelTest.for(['client', 'controller', 's3-data', 's3-wal'])(
    'delays the %s path and nothing else',
    async (path, { target }) => {
      const { outcome, samples } = await runOn(target, slow({ path }));
      expect(outcome.confirmed).toBe(true);
      const { fromMs = 0, toMs = 0 } = outcome.window ?? {};
      const effects = samples.filter(({ kind, at }) => kind === 'effect' && at >= fromMs && at <= toMs);
      expect(effects.length).toBeGreaterThan(0);
      for (const { seen } of effects) expect(Number(/ok in ([\d.]+) ms/.exec(seen)?.[1])).toBeGreaterThan(240);
    },
  );

  modelTest('adds up where both directions are delayed', async ({ target }) => {
    const { outcome, samples } = await runOn(target, { ...slow({ direction: 'both' }), duration: '2s' });
    expect(outcome.confirmed).toBe(true);
    const proof = samples.find(({ kind, holds }) => kind === 'effect' && holds);
    expect(Number(/ok in ([\d.]+) ms/.exec(proof?.seen ?? '')?.[1])).toBeGreaterThan(480);
  });

  modelTest('refuses a jitter that would leave nothing to prove', () => {
    const result = faultSchema.safeParse({ ...slow({ jitter: '200ms' }), at: '1s' });
    expect(result.error?.issues.map((issue) => issue.message).join()).toContain(
      'jitter must be at most half of latency',
    );
  });
});
