// Every fault of a connection on the real embedded cluster: real brokers, a real store, real link proxies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../targets/cluster-fixture.ts';
import { startEmbeddedForFaults } from './embedded-fixture.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from './run-on.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbeddedForFaults();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

const leader = { victim: { leaderOf: 'orders/0' } };

describe('on the embedded cluster', () => {
  it.each([
    { fault: 'bandwidth-limit', ...leader, params: { rate: '8KiB' } },
    { fault: 'bandwidth-limit', ...leader, params: { rate: '8KiB', path: 'controller', direction: 'upstream' } },
    { fault: 'bandwidth-limit', ...leader, params: { rate: '8KiB', path: 's3-data', direction: 'both' } },
    { fault: 'client-partition', ...leader },
    { fault: 'client-partition', victim: { all: true }, params: { mode: 'blackhole' } },
    { fault: 'connection-reset', ...leader },
    { fault: 'network-latency', ...leader, params: { latency: '1s' } },
    { fault: 'network-partition', ...leader, params: { from: 'controllers', direction: 'outgoing' } },
    { fault: 'object-store-latency', params: { latency: '1s' } },
    { fault: 'object-store-outage' },
    { fault: 'request-loss', ...leader },
    { fault: 'response-loss', ...leader },
    { fault: 'wal-outage', params: { mode: 'reset' } },
    { fault: 'wal-outage', victim: { controller: 'leader' } },
  ])('$fault is confirmed and healed: $params', async (written) => {
    const seen = await runUntil(cluster.target, written);
    expect(seen.outcome.reason).toBeUndefined();
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });
});
