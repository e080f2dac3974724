import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('wal-io-error', () => {
  modelTest('refuses the I/O of volumes, of those methods that it is about', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'wal-io-error', params: { methods: ['read'] } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ holds, seen }) => holds && seen.startsWith('a scratch of volume: http:500'))).toBe(true);
  });
});
