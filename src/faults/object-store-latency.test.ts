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

describe('object-store-latency', () => {
  it('delays the data path of every broker while the log’s path stays quick', async () => {
    const { outcome, samples } = await runOn(target, {
      fault: 'object-store-latency',
      duration: '1500ms',
      params: { latency: '300ms', jitter: '50ms' },
    });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ kind, holds, seen }) => kind === 'control' && holds && seen.startsWith('s3-wal of'))).toBe(
      true,
    );
  });
});
