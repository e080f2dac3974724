import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil, specOf } from '../../test/faults/run-on.ts';

const FAULT = 'object-store-truncate';
const allowed = { fault: FAULT, allow: ['corrupt'] };

describe.concurrent('object-store-truncate', () => {
  modelTest.for([
    ['keep', /GetObject: (?:reset|eof)/u],
    ['rewrite', /GetObject: ok/u],
  ] as const)('length %s: a read has the first bytes and no more', async ([length, ending], { target }) => {
    const { outcome, samples } = await runUntil(target, { ...allowed, params: { length, size: '100B' } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const effects = samples.filter(({ kind, holds }) => kind === 'effect' && holds);
    expect(effects.length).toBeGreaterThan(0);
    expect(effects.every(({ seen }) => ending.test(seen))).toBe(true);
  });

  modelTest('is not shown where nothing that is read is longer', async ({ target }) => {
    const { outcome } = await runUntil(
      target,
      { ...allowed, params: { size: '1MiB' } },
      { seen: /acted on requests that matched: s3-data-broker-1 0 of [1-9]/u },
    );
    expect(outcome.confirmed).toBe(false);
  });

  modelTest('must be allowed, and is about reads', () => {
    const at = { fault: FAULT, duration: '5s' };
    expect(() => specOf(at)).toThrow(/needs "allow: \[corrupt\]"/u);
    expect(() => specOf({ ...at, allow: ['corrupt'], params: { match: { minSize: '1KiB' } } })).toThrow(
      /about what comes back/u,
    );
  });
});
