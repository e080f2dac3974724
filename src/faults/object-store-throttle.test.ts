import { expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil, specOf } from '../../test/faults/run-on.ts';

const FAULT = 'object-store-throttle';

modelTest('tells brokers to come back later, by a header that the canary reads', async ({ target }) => {
  const { outcome, samples } = await runUntil(target, {
    fault: FAULT,
    params: { path: 's3-wal', retryAfter: '3s', match: { op: 'PutObject' } },
  });
  expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
  const seen = samples.filter(({ holds }) => holds).map((sample) => sample.seen);
  expect(seen.some((each) => each.startsWith('s3-wal of broker/2, PutObject: http:503'))).toBe(true);
  expect(seen.some((each) => each.startsWith('s3-data of broker/1, GetObject: ok'))).toBe(true);
});

modelTest('asks for whole seconds, as the header has them', () => {
  const written = (retryAfter: string) => () =>
    specOf({ fault: FAULT, duration: '5s', params: { retryAfter } }).params['retryAfter'];
  expect(written('2s')()).toBe(2000);
  expect(written('1500ms')).toThrow(/whole seconds/u);
});
