// Every fault of a process on the real embedded cluster, and the one that destroys data.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../targets/cluster-fixture.ts';
import { startEmbeddedForFaults } from './embedded-fixture.ts';
import { edgeNames, runOn, runUntil, WHOLE_LIFE } from './run-on.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbeddedForFaults();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

describe('on the embedded cluster', () => {
  it.each([
    { fault: 'process-kill', victim: { leaderOf: 'orders/0' } },
    { fault: 'process-kill', victim: { controller: 'leader' } },
    { fault: 'process-kill', victim: { objectStore: true } },
    { fault: 'crash-loop', victim: { leaderOf: 'orders/0' } },
    { fault: 'graceful-stop', victim: { leaderOf: 'orders/0' } },
    { fault: 'process-pause', victim: { leaderOf: 'orders/0' } },
    { fault: 'rolling-restart' },
    { fault: 'all-brokers-kill', allow: ['full-outage'] },
  ])('$fault of $victim is confirmed and healed', async (written) => {
    const seen = await runUntil(cluster.target, written);
    expect(seen.outcome.reason).toBeUndefined();
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });

  it('object-loss takes a data object with acknowledged records away for good', async () => {
    const { objectStore } = cluster.can;
    const never = new AbortController().signal;
    const before = await objectStore.list(objectStore.dataPrefix, never);
    const seen = await runOn(cluster.target, { fault: 'object-loss', allow: ['destroy-state'] });
    expect(seen.outcome).toMatchObject({ confirmed: true, healed: 'nothing-to-heal' });
    const after = await objectStore.list(objectStore.dataPrefix, never);
    expect(after.length).toBeLessThan(before.length + 1);
    expect(after.some(({ key }) => seen.outcome.chosen.includes(key))).toBe(false);
  });
});
