// Every fault of a connection on the real embedded cluster: real brokers, a real store, real link proxies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../targets/cluster-fixture.ts';
import { startEmbeddedForFaults } from './embedded-fixture.ts';
import { edgeNames, runOn, WHOLE_LIFE } from './run-on.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbeddedForFaults();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

const leader = { victim: { leaderOf: 'orders/0' } };
const heal = { timeout: '20s' };

describe('on the embedded cluster', () => {
  it.each([
    { fault: 'client-partition', ...leader, duration: '1s' },
    { fault: 'client-partition', victim: { all: true }, duration: '2500ms', params: { mode: 'blackhole' } },
    { fault: 'connection-reset', ...leader, duration: '1s' },
    { fault: 'network-latency', ...leader, duration: '1500ms', params: { latency: '300ms' } },
    { fault: 'object-store-latency', duration: '1500ms', params: { latency: '300ms' } },
    { fault: 'object-store-outage', duration: '1s' },
    { fault: 'request-loss', ...leader, duration: '2500ms' },
    { fault: 'response-loss', ...leader, duration: '2500ms' },
    { fault: 'wal-outage', duration: '1s', params: { mode: 'reset' } },
    { fault: 'wal-outage', victim: { controller: 'leader' }, duration: '1s' },
  ])('$fault is confirmed and healed: $params', async (written) => {
    const seen = await runOn(cluster.target, { ...written, heal });
    expect(seen.outcome.reason).toBeUndefined();
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });
});
