import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelTarget, startModelTarget } from '../../test/faults/model-target.ts';
import { runOn } from '../../test/faults/run-on.ts';

let target: ModelTarget;
beforeEach(async () => {
  target = await startModelTarget();
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});

describe('wal-outage', () => {
  it('cuts the log’s path of every broker while the data path is well', async () => {
    const { outcome, samples } = await runOn(target, { fault: 'wal-outage', duration: '700ms' });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ kind, holds, seen }) => kind === 'control' && holds && seen.startsWith('s3-data of'))).toBe(
      true,
    );
  });

  it('refuses a target whose log has no path of its own', async () => {
    const all = target.can.links.all.filter(({ path }) => path !== 's3-wal');
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, links: { all } } },
      { fault: 'wal-outage', duration: '1s' },
    );
    expect(outcome.reason).toContain('has no path of its own for the log');
  });
});
