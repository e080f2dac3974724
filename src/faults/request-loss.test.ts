import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runUntil } from '../../test/faults/run-on.ts';

describe.concurrent('request-loss', () => {
  modelTest.for(['client', 's3-wal'])(
    'loses the request, so the write on the %s path took no effect',
    async (path, { target }) => {
      const { outcome, samples } = await runUntil(target, {
        fault: 'request-loss',
        victim: { broker: 2 },
        params: { path },
      });
      expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
      const proof = samples.find(({ kind, holds }) => kind === 'effect' && holds);
      expect(proof?.seen).toMatch(/: timeout after .* took no effect$/);
    },
  );
});
