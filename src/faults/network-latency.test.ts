import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';
import { faultSchema } from './fault-schema.ts';

const slow = (params: Record<string, string>) => ({
  fault: 'network-latency',
  victim: { broker: 2 },
  params: { latency: '1s', ...params },
});

describe.concurrent('network-latency', () => {
  modelTest.for(['client', 'controller', 's3-data', 's3-wal', 'wal'])(
    'delays the %s path and nothing else',
    async (path, { target }) => {
      const { outcome, samples } = await runUntil(target, slow({ path }));
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      const { fromMs = 0, toMs = 0 } = outcome.window ?? {};
      const effects = samples.filter(({ kind, at }) => kind === 'effect' && at >= fromMs && at <= toMs);
      expect(effects.length).toBeGreaterThan(0);
      for (const { seen } of effects) expect(Number(/ok in ([\d.]+) ms/.exec(seen)?.[1])).toBeGreaterThan(800);
    },
  );

  modelTest('adds up where both directions are delayed', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, slow({ direction: 'both' }));
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const proof = samples.find(({ kind, holds }) => kind === 'effect' && holds);
    expect(Number(/ok in ([\d.]+) ms/.exec(proof?.seen ?? '')?.[1])).toBeGreaterThan(1600);
  });

  modelTest('refuses a jitter that would leave nothing to prove', () => {
    const result = faultSchema.safeParse({ ...slow({ jitter: '600ms' }), at: '1s', duration: '1s' });
    expect(result.error?.issues.map((issue) => issue.message).join()).toContain(
      'jitter must be at most half of latency',
    );
  });
});
