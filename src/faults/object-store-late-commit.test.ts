import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

const FAULT = 'object-store-late-commit';

describe.concurrent('object-store-late-commit', () => {
  modelTest.for([
    ['status', 'http:500'],
    ['drop', 'reset'],
  ])('told by %s: a write ends in %s, is not there, and comes later', async ([reply, ending], { target }) => {
    const { outcome, samples } = await runUntil(target, { fault: FAULT, params: { after: '400ms', reply } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const effects = samples.filter(({ kind }) => kind === 'effect');
    expect(effects.every(({ seen }) => seen.includes(`PutObject: ${ending}`))).toBe(true);
    // Nothing is shown before the first late one has come.
    expect(effects[0]?.holds).toBe(false);
    expect(effects.at(-1)?.holds).toBe(true);
  });

  modelTest('holds nothing any more once it is healed', async ({ target }) => {
    await runUntil(target, { fault: FAULT, params: { after: '1s' } });
    const { held, rules } = await target.storeProxy.control.counters();
    expect(held).toBe(0);
    expect(
      Object.values(rules).every(({ state, lateForwards }) => state === 'removed' && lateForwards.length > 0),
    ).toBe(true);
  });
});
