import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('wal-io-latency', () => {
  modelTest('delays the I/O of volumes, which goes on all the same', async ({ target }) => {
    const written = { fault: 'wal-io-latency', victim: { broker: 2 }, params: { latency: '300ms', methods: ['sync'] } };
    const { outcome, samples } = await runUntil(target, written);
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    const effects = samples.filter(({ kind, holds }) => kind === 'effect' && holds).map(({ seen }) => seen);
    expect(effects.some((seen) => /^a scratch of broker\/2: ok in [3-9]\d\d/u.test(seen))).toBe(true);
  });
});
