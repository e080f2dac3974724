import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('wal-outage', () => {
  modelTest('cuts the log’s path of every broker while the data path is well', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'wal-outage' });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ kind, holds, seen }) => kind === 'control' && holds && seen.startsWith('s3-data of'))).toBe(
      true,
    );
  });

  modelTest('cuts the path to the volume where the log is on one', async ({ target }) => {
    const isOther = ({ path }: { readonly path: string }): boolean => path !== 's3-wal';
    const all = target.can.links.all.filter(isOther);
    const storeProxy = { all: target.can.storeProxy.all.filter(isOther) };
    const { outcome, samples } = await runUntil(
      { ...target, can: { ...target.can, links: { all }, storeProxy } },
      { fault: 'wal-outage' },
    );
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const shown = samples.filter(({ holds }) => holds).map(({ kind, seen }) => `${kind} ${seen}`);
    expect(shown.some((each) => each.startsWith('effect wal of broker/1, new connection: refused'))).toBe(true);
    expect(shown.some((each) => each.startsWith('control s3-data of broker/1: ok'))).toBe(true);
  });

  modelTest('takes away what some writes to the log are answered, while reads of it are well', async ({ target }) => {
    const params = { mode: 'reset', match: { op: 'PutObject' } };
    const { outcome, samples } = await runUntil(target, { fault: 'wal-outage', params });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const shown = samples.filter(({ holds }) => holds).map(({ kind, seen }) => `${kind} ${seen}`);
    expect(shown.some((each) => each.startsWith('effect s3-wal of broker/1, PutObject: reset'))).toBe(true);
    expect(shown.some((each) => each.startsWith('control s3-wal of broker/1, GetObject: ok'))).toBe(true);
    expect(shown.some((each) => each.startsWith('control s3-data of broker/1, GetObject: ok'))).toBe(true);
  });

  modelTest('refuses a target whose log has no path of its own', async ({ target }) => {
    const isOther = ({ path }: { readonly path: string }): boolean => path !== 's3-wal' && path !== 'wal';
    const all = target.can.links.all.filter(isOther);
    const storeProxy = { all: target.can.storeProxy.all.filter(isOther) };
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, links: { all }, storeProxy } },
      { fault: 'wal-outage', duration: '1s' },
    );
    expect(outcome.reason).toContain('has no path of its own for the log');
  });
});
