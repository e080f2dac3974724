import { expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil, specOf } from '../../test/faults/run-on.ts';

const FAULT = 'object-store-slow-body';

modelTest(
  'makes a broker’s uploads take as long as their rate says, and its reads as long as ever',
  async ({ target }) => {
    const { outcome, samples } = await runUntil(target, {
      fault: FAULT,
      victim: { leaderOf: 'orders/1' },
      params: { rate: '16KiB' },
    });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const effects = samples.filter(({ kind, holds }) => kind === 'effect' && holds).map(({ seen }) => seen);
    expect(effects.some((seen) => /PutObject: ok in \d{3,}\.\d ms/u.test(seen))).toBe(true);
    expect(samples.some(({ kind, holds, seen }) => kind === 'control' && holds && seen.includes('GetObject: ok'))).toBe(
      true,
    );
  },
);

modelTest('is about uploads and nothing else', () => {
  const written = { fault: FAULT, duration: '5s', params: { rate: '8KiB', match: { op: 'List' } } };
  expect(() => specOf(written)).toThrow(/List is no upload. Known: PutObject, UploadPart/u);
});
