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

  modelTest('delays what is written and not what is read, where it is told so', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, {
      fault: 'object-store-latency',
      params: { latency: '200ms', match: { op: 'PutObject' } },
    });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const shown = samples.filter(({ holds }) => holds).map(({ kind, seen }) => `${kind} ${seen}`);
    expect(shown.some((each) => each.startsWith('effect s3-data of broker/1, PutObject: ok'))).toBe(true);
    expect(shown.some((each) => each.startsWith('control s3-data of broker/1, GetObject: ok'))).toBe(true);
  });
});
