import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil, specOf } from '../../test/faults/run-on.ts';

const FAULT = 'object-store-lost-response';

describe.concurrent('object-store-lost-response', () => {
  modelTest.for([
    ['reset', 'reset'],
    ['close', 'eof'],
    ['hang', 'timeout'],
  ])('by %s: a write ends in %s, and the store has it', async ([how, ending], { target }) => {
    const { outcome, samples } = await runUntil(target, { fault: FAULT, victim: { broker: 1 }, params: { how } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const effects = samples.filter(({ kind, holds }) => kind === 'effect' && holds).map(({ seen }) => seen);
    expect(effects.some((seen) => seen.startsWith(`s3-data of broker/1, PutObject: ${ending}`))).toBe(true);
    // Whoever reads is answered.
    const controls = samples.filter(({ kind, holds }) => kind === 'control' && holds).map(({ seen }) => seen);
    expect(controls.some((seen) => seen.startsWith('s3-data of broker/1, GetObject: ok'))).toBe(true);
  });

  modelTest('is not shown where the store never did what it was asked', async ({ target }) => {
    target.cluster.store.isForgetful = true;
    const { outcome, samples } = await runUntil(
      target,
      { fault: FAULT, victim: { broker: 1 } },
      { seen: /PutObject: reset .*not as the rule has it/u },
    );
    expect(outcome.confirmed).toBe(false);
    expect(samples.some(({ kind, holds }) => kind === 'effect' && holds)).toBe(false);
  });

  modelTest('leaves the canaries’ objects nowhere, and refuses to be about reads', async ({ target }) => {
    await runUntil(target, { fault: FAULT });
    const left = [...target.cluster.store.objects.keys()].filter((key) => /canary.*-\d+$/u.test(key));
    expect(left).toEqual([]);
    const reads = { fault: FAULT, duration: '5s', params: { match: { op: 'GetObject' } } };
    expect(() => specOf(reads)).toThrow(/GetObject is no operation that changes something/u);
  });
});
