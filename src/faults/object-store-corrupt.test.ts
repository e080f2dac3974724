import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil, specOf } from '../../test/faults/run-on.ts';

const FAULT = 'object-store-corrupt';

describe.concurrent('object-store-corrupt', () => {
  modelTest(
    'gives readers other bytes where it says and nowhere else, and the store keeps its own',
    async ({ target }) => {
      const { outcome, samples } = await runUntil(target, {
        fault: FAULT,
        allow: ['corrupt'],
        params: { offset: '10B', count: 4 },
      });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      const effects = samples.filter(({ kind, holds }) => kind === 'effect' && holds);
      expect(effects.length).toBeGreaterThan(0);
      const stored = [...target.cluster.store.objects].filter(([key]) => key.endsWith('/object-store-corrupt-1/read'));
      expect(stored.map(([, bytes]) => bytes.subarray(0, 19).toString())).toEqual(['canary of ackproof ']);
    },
  );

  modelTest('must be allowed', () => {
    expect(() => specOf({ fault: FAULT, duration: '5s' })).toThrow(/needs "allow: \[corrupt\]"/u);
  });
});
