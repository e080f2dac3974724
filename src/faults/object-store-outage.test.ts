import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil, specOf } from '../../test/faults/run-on.ts';

describe.concurrent('object-store-outage', () => {
  modelTest.for([
    ['refuse', 'refused'],
    ['blackhole', 'timeout'],
    ['reset', 'reset'],
  ])(
    'in mode %s reads and writes of every broker end in %s, and the log’s path stays',
    async ([mode, ending], { target }) => {
      const { outcome, samples } = await runUntil(target, {
        fault: 'object-store-outage',
        params: { mode },
      });
      expect(outcome).toMatchObject({
        confirmed: true,
        healed: 'healed',
        victims: ['broker/1', 'broker/2', 'broker/3'],
      });
      const seen = samples.filter(({ holds }) => holds).map((sample) => sample.seen);
      for (const id of [1, 2, 3]) {
        for (const what of ['new connection', 'write']) {
          expect(seen.some((each) => each.startsWith(`s3-data of broker/${id}, ${what}: ${ending}`))).toBe(true);
        }
      }
      expect(seen.some((each) => each.startsWith('s3-wal of broker/1: ok'))).toBe(true);
      expect(seen.some((each) => each.startsWith('the object store directly: ok'))).toBe(true);
    },
  );

  modelTest.for([
    ['blackhole', 'timeout'],
    ['reset', 'reset'],
  ])('in mode %s some requests end in %s by rules, and the others are answered', async ([mode, ending], { target }) => {
    const { outcome, samples } = await runUntil(target, {
      fault: 'object-store-outage',
      params: { mode, match: { op: 'PutObject', keyPrefix: 'data/' } },
    });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const seen = samples.filter(({ holds }) => holds).map((sample) => sample.seen);
    expect(seen.some((each) => each.startsWith(`s3-data of broker/1, PutObject: ${ending}`))).toBe(true);
    expect(seen.some((each) => each.startsWith('s3-data of broker/1, GetObject: ok'))).toBe(true);
  });

  modelTest('goes by rules where there is no link, and then refuses no connections', async ({ target }) => {
    const all = target.can.links.all.filter(({ path }) => path !== 's3-data');
    const without = { ...target, can: { ...target.can, links: { all } } };
    const reset = await runUntil(without, { fault: 'object-store-outage', params: { mode: 'reset' } });
    expect(reset.outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const refused = await runOn(without, { fault: 'object-store-outage', duration: '1s' });
    expect(refused.outcome.reason).toContain('with mode refuse is nothing for an S3 fault proxy');
  });

  modelTest('cannot refuse connections for some requests, nor do by Toxiproxy what needs rules', () => {
    const selective = { fault: 'object-store-outage', duration: '5s', params: { percent: '50%' } };
    expect(() => specOf(selective)).toThrow(/mode refuse is about connections/u);
    const params = { mode: 'reset', percent: '50%' };
    expect(() => specOf({ ...selective, backend: 'toxiproxy', params })).toThrow(/Toxiproxy knows no requests/u);
  });

  modelTest('can hit one broker alone', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, {
      fault: 'object-store-outage',
      victim: { broker: 3 },
    });
    expect(outcome).toMatchObject({ confirmed: true, victims: ['broker/3'] });
    expect(samples.some(({ kind, seen }) => kind === 'control' && seen.startsWith('s3-data of broker/1: ok'))).toBe(
      true,
    );
  });
});
