import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('disk-read-only', () => {
  modelTest('lets volumes be read and neither written nor synced', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: 'disk-read-only' });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ holds, seen }) => holds && seen.startsWith('a scratch of volume: http:403'))).toBe(true);
  });
});
