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

describe('request-loss', () => {
  it.each(['client', 's3-wal'])('loses the request, so the write on the %s path took no effect', async (path) => {
    const { outcome, samples } = await runOn(target, {
      fault: 'request-loss',
      victim: { broker: 2 },
      duration: '1500ms',
      params: { path },
    });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const proof = samples.find(({ kind, holds }) => kind === 'effect' && holds);
    expect(proof?.seen).toMatch(/: timeout after .* took no effect$/);
  });
});
