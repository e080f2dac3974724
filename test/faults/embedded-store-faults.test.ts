// Faults of single requests to the object store on the real embedded cluster, while a producer writes: they are proved by what brokers
// ask themselves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, produce } from '../targets/cluster-fixture.ts';
import { EMBEDDED_TOPIC, startEmbeddedForFaults } from './embedded-fixture.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from './run-on.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbeddedForFaults();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

/** Writes until it is told to end; what is not acknowledged meanwhile is the fault's doing. */
const writing = (): { readonly end: () => Promise<void> } => {
  let isOver = false;
  const loop = (async () => {
    while (!isOver) await produce(cluster, EMBEDDED_TOPIC, 2, 20).catch(() => undefined);
  })();
  return {
    end: async () => {
      isOver = true;
      await loop;
    },
  };
};

const leader = { victim: { leaderOf: 'orders/0' } };
const uploads = { op: 'PutObject', keyPrefix: 'data/' };

describe('on the embedded cluster', () => {
  it.each([
    { fault: 'object-store-denied', ...leader },
    { fault: 'object-store-error', ...leader, params: { status: 500, match: uploads } },
    { fault: 'object-store-late-commit', ...leader, params: { after: '500ms', match: uploads } },
    { fault: 'object-store-latency', ...leader, params: { latency: '500ms', match: uploads } },
    { fault: 'object-store-lost-response', ...leader, params: { path: 's3-wal' } },
    { fault: 'object-store-outage', ...leader, params: { mode: 'blackhole', match: uploads } },
    { fault: 'object-store-slow-body', ...leader, params: { rate: '16KiB', match: uploads } },
    { fault: 'object-store-throttle', ...leader, params: { match: uploads } },
    { fault: 'wal-outage', ...leader, params: { mode: 'reset', percent: '50%' } },
  ])('$fault is confirmed by what brokers ask, and healed: $params', async (written) => {
    const load = writing();
    try {
      const seen = await runUntil(cluster.target, written);
      expect(seen.outcome.reason).toBeUndefined();
      expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
    } finally {
      await load.end();
    }
  });
});
