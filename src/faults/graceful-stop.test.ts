import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

const stop = { fault: 'graceful-stop', victim: { broker: 2 } };

const STUBBORN = /broker\/2 is running|did not end in time/;

describe.concurrent('graceful-stop', () => {
  modelTest('is confirmed when the leaders moved before the process ended', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, stop);
    expect(outcome.confirmed).toBe(true);
    expect(samples.map(({ seen }) => seen)).toContain('the leaders of broker/2 had moved before it ended');
    expect(target.cluster.acts).toEqual(['terminate broker/2', 'start broker/2']);
  });

  modelTest('is not confirmed when its partitions went down with it', async ({ target }) => {
    target.cluster.handsOver = false;
    const { outcome } = await runUntil(target, stop, { seen: /were not seen to move before it ended/ });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toContain('were not seen to move before it ended');
  });

  modelTest('is not confirmed when the process did not end in time', async ({ target }) => {
    const { control } = target.cluster;
    const stubborn = { ...control, terminate: async () => await Promise.resolve({ exitCode: undefined }) };
    const can = { ...target.can, processes: stubborn };
    const { outcome } = await runUntil({ ...target, can }, stop, { seen: /did not end in time/ });
    expect(outcome.confirmed).toBe(false);
    expect(outcome.reason).toMatch(STUBBORN);
  });
});
