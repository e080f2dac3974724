// Faults of a connection end to end with the real Toxiproxy: the embedded cluster's own proxy of the client path is ended and
// a Toxiproxy takes its place, at the same addresses and with the same proxies.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startEmbeddedForFaults } from '../faults/embedded-fixture.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from '../faults/run-on.ts';
import { describeSystem } from '../support/systems.ts';
import { type Cluster, processesOfRun } from '../targets/cluster-fixture.ts';
import { startToxiproxy, type ToxiproxyServer } from './toxiproxy/toxiproxy-server.ts';

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

/** Whether the process is there; a zombie is not. */
const lives = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** Puts a Toxiproxy in the place of the cluster's own proxy of the client path. */
const takePlace = async (cluster: Cluster): Promise<ToxiproxyServer> => {
  const links = cluster.can.links.all.filter((link) => link.path === 'client');
  const port = links[0]?.admin.port ?? 0;
  const own = processesOfRun(cluster.runId).filter((pid) => commandOf(pid).includes(`"apiPort":${port}`));
  expect(own).toHaveLength(1);
  for (const pid of own) process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(own.filter(lives)).toEqual([]), { timeout: 15_000 });
  const proxies = links.map((link) => ({
    name: link.proxy,
    listen: `${link.listen.host}:${link.listen.port}`,
    upstream: `${link.upstream.host}:${link.upstream.port}`,
  }));
  return await startToxiproxy({ port, proxies });
};

describeSystem('toxiproxy', () => {
  let cluster: Cluster;
  let real: ToxiproxyServer | undefined;
  beforeAll(async () => {
    cluster = await startEmbeddedForFaults();
    real = await takePlace(cluster);
  });
  afterAll(async () => {
    await real?.[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const leader = { victim: { leaderOf: 'orders/0' } };
  it.each([
    { fault: 'bandwidth-limit', ...leader, params: { rate: '64KiB' } },
    { fault: 'bandwidth-limit', ...leader, params: { rate: '64KiB', direction: 'both' } },
    { fault: 'client-partition', ...leader },
    { fault: 'client-partition', victim: { all: true }, params: { mode: 'blackhole' } },
    { fault: 'connection-reset', ...leader },
    { fault: 'network-latency', ...leader, params: { latency: '1s' } },
    { fault: 'request-loss', ...leader },
    { fault: 'response-loss', ...leader },
  ])('$fault on the client path is confirmed and healed: $params', async (written) => {
    const seen = await runUntil(cluster.target, written);
    expect(seen.outcome.reason).toBeUndefined();
    expect(edgeNames(seen)).toEqual(WHOLE_LIFE);
  });
});
