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

describe('connection-reset', () => {
  it.each(['client', 's3-data'])('resets new connections on the %s path once they are answered', async (path) => {
    const { outcome, samples } = await runOn(target, {
      fault: 'connection-reset',
      victim: { broker: 2 },
      duration: '1s',
      params: { path },
    });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ kind, seen }) => kind === 'effect' && seen.includes('new connection: reset'))).toBe(true);
  });
});
