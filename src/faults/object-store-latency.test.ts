import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn } from '../../test/faults/run-on.ts';

describe.concurrent('object-store-latency', () => {
  modelTest('delays the data path of every broker while the log’s path stays quick', async ({ target }) => {
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
