import { expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

modelTest('denies one broker what it asks, and nobody else', async ({ target }) => {
  const { outcome, samples } = await runUntil(target, { fault: 'object-store-denied', victim: { broker: 2 } });
  expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/2'] });
  const seen = samples.filter(({ holds }) => holds).map((sample) => sample.seen);
  expect(seen.some((each) => each.startsWith('s3-data of broker/2, PutObject: http:403'))).toBe(true);
  expect(seen.some((each) => each.startsWith('s3-data of broker/1, GetObject: ok'))).toBe(true);
});
