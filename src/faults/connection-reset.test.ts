import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('connection-reset', () => {
  modelTest.for(['client', 's3-data'])(
    'resets new connections on the %s path once they are answered',
    async (path, { target }) => {
      const { outcome, samples } = await runUntil(target, {
        fault: 'connection-reset',
        victim: { broker: 2 },
        params: { path },
      });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      expect(samples.some(({ kind, seen }) => kind === 'effect' && seen.includes('new connection: reset'))).toBe(true);
    },
  );
});
