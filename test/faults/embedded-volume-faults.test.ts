// Every fault of the I/O of volumes on the real embedded cluster: real brokers write to a real volume process.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../targets/cluster-fixture.ts';
import { startEmbeddedForFaults } from './embedded-fixture.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from './run-on.ts';

const WHOLE_DISK = [
  { fault: 'disk-full', victim: { volume: true } },
  { fault: 'disk-read-only' },
  { fault: 'wal-io-error' },
  { fault: 'wal-io-latency', params: { latency: '300ms' } },
  { fault: 'wal-io-stall' },
];
const leader = { victim: { leaderOf: 'orders/0' } };

describe.each([
  { wal: 'block', faults: [...WHOLE_DISK, ...WHOLE_DISK.map((written) => ({ ...written, ...leader }))] },
  { wal: 'nfs', faults: WHOLE_DISK },
] as const)('on the embedded cluster with wal: $wal', ({ wal, faults }) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEmbeddedForFaults(wal);
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  it.each(faults)('$fault is confirmed and healed: $victim', async (written) => {
    const seen = await runUntil(cluster.target, written);
    expect(seen.outcome.reason).toBeUndefined();
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });
});
