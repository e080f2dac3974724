import { describe, expect } from 'vitest';
import { modelTest } from '../../test/faults/model-test.ts';
import { runOn, runUntil } from '../../test/faults/run-on.ts';

const FAULT = 'object-store-error';

describe.concurrent('object-store-error', () => {
  modelTest('gives every broker the status, while the log’s path and the store itself are well', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: FAULT, params: { status: 500 } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/1', 'broker/2', 'broker/3'] });
    const seen = samples.filter(({ holds }) => holds).map((sample) => sample.seen);
    for (const id of [1, 2, 3]) {
      expect(seen.some((each) => each.startsWith(`s3-data of broker/${id}, PutObject: http:500`))).toBe(true);
    }
    expect(seen.some((each) => each.startsWith('s3-wal of broker/1, GetObject: ok'))).toBe(true);
    expect(seen.some((each) => each.startsWith('the object store directly: ok'))).toBe(true);
    expect(seen.some((each) => /^acted on requests that matched: .*broker-1 [1-9]/u.test(each))).toBe(true);
    expect(await target.storeProxy.control.rules()).toEqual([]);
  });

  modelTest('can be about one operation of one broker, and leaves its other operations alone', async ({ target }) => {
    const params = { status: 404, match: { op: 'GetObject', keyPrefix: 'data/' } };
    const { outcome, samples } = await runUntil(target, { fault: FAULT, victim: { broker: 3 }, params });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed', victims: ['broker/3'] });
    const seen = samples.filter(({ holds }) => holds).map(({ kind, seen: what }) => `${kind} ${what}`);
    expect(seen.some((each) => each.startsWith('effect s3-data of broker/3, GetObject: http:404'))).toBe(true);
    expect(seen.some((each) => each.startsWith('control s3-data of broker/3, HeadObject: ok'))).toBe(true);
    expect(seen.some((each) => each.startsWith('control s3-data of broker/1, GetObject: ok'))).toBe(true);
  });

  modelTest('acts on a share of the requests, and its canary sees it all the same', async ({ target }) => {
    const { outcome, samples } = await runUntil(target, { fault: FAULT, params: { percent: '30%' } });
    expect(outcome).toMatchObject({ confirmed: true, healed: 'healed' });
    expect(samples.some(({ holds, seen }) => !holds && seen.includes('http:503'))).toBe(false);
  });

  modelTest('proves nothing where no request of the cluster matches', async ({ target }) => {
    const { outcome } = await runOn(target, {
      fault: FAULT,
      duration: '500ms',
      params: { match: { keyGlob: '*/nothing-of-the-kind' } },
      confirm: { timeout: '1500ms' },
      heal: { timeout: '60s' },
    });
    expect(outcome).toMatchObject({ confirmed: false, healed: 'healed' });
    expect(outcome.reason).toMatch(/^mechanism: acted on requests that matched: s3-data-broker-1 0 of 0/u);
  });

  modelTest('has ended early where its rules died amid it', async ({ target }) => {
    const first = async (): Promise<void> => {
      await target.storeProxy.control.removeRules();
    };
    const { outcome } = await runOn(
      target,
      { fault: FAULT, duration: '60s', confirm: { timeout: '60s' }, heal: { timeout: '60s' } },
      {
        onEdge: ({ edge }) => {
          if (edge === 'confirmed') void first();
        },
      },
    );
    expect(outcome.reason).toMatch(/^ended-early: .*has no such rule \(removed\)/u);
  });

  modelTest('makes rules that die by themselves, and that another process can take away', async ({ target }) => {
    const ttl: number[] = [];
    const { edges } = await runUntil(
      target,
      { fault: FAULT, victim: { broker: 1 } },
      {
        first: async () => {
          ttl.push(...(await target.storeProxy.control.rules()).map(({ ttlMs }) => ttlMs));
        },
      },
    );
    // Duration, confirmation, healing and a margin.
    expect(ttl).toEqual([210_000, 210_000]);
    const [intent] = edges;
    expect(intent?.undo?.steps).toEqual([
      {
        do: 'remove-rules',
        admin: target.storeProxy.admin,
        rules: ['ackproof-test-run-1-object-store-error-1-1', 'ackproof-test-run-1-object-store-error-1-1c'],
      },
    ]);
  });

  modelTest('refuses a path on which a target has no such proxy', async ({ target }) => {
    const all = target.can.storeProxy.all.filter(({ path }) => path !== 's3-wal');
    const { outcome } = await runOn(
      { ...target, can: { ...target.can, storeProxy: { all } } },
      { fault: FAULT, duration: '1s', params: { path: 's3-wal' } },
    );
    expect(outcome.reason).toContain('by no S3 fault proxy on the path s3-wal');
  });
});
