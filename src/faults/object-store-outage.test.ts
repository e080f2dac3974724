import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

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
