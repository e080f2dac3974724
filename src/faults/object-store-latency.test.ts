import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('object-store-latency', () => {
  modelTest('delays the data path of every broker while the log’s path stays quick', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, {
      fault: 'object-store-latency',
      params: { latency: '1s', jitter: '100ms' },
    });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ kind, holds, seen }) => kind === 'control' && holds && seen.startsWith('s3-wal of'))).toBe(
      true,
    );
  });
});
