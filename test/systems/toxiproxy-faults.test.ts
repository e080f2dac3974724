// Faults of a connection end to end with the real Toxiproxy: the embedded cluster's own proxy of the client path is ended and
// a Toxiproxy takes its place, at the same addresses and with the same proxies.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ToxiproxyProcess } from '../../src/faults/backends/toxiproxy.ts';
import { startEmbeddedForFaults } from '../faults/embedded-fixture.ts';
import { edgeNames, runUntil, WHOLE_LIFE } from '../faults/run-on.ts';
import { describeSystem } from '../support/systems.ts';
import { type Cluster, processesOfRun } from '../targets/cluster-fixture.ts';
import { type DeclaredProxy, startToxiproxy, type ToxiproxyServer } from './toxiproxy/toxiproxy-server.ts';

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

/** Whether the process is there; a zombie is not. */
const lives = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** What a Toxiproxy is started with. */
interface Declared {
  readonly port: number;
  readonly proxies: readonly DeclaredProxy[];
}

/** Ends the cluster's own proxy of the client path; what stands in its place must serve. */
const makeRoom = async (cluster: Cluster): Promise<Declared> => {
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
  return { port, proxies };
};

describeSystem('toxiproxy', () => {
  let cluster: Cluster;
  let own: Declared;
  let real: ToxiproxyServer | undefined;
  beforeAll(async () => {
    cluster = await startEmbeddedForFaults();
    own = await makeRoom(cluster);
    real = await startToxiproxy(own);
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

  // Trap 13: even without a toxic a proxy takes time, and somebody else's toxic takes more.
  it('a baseline is taken through the proxy: what made it slow before is no part of the fault, and does not keep it from healing', async () => {
    const [link] = cluster.can.links.all.filter(({ path, node }) => path === 'client' && node === 'broker/1');
    if (link === undefined) throw new Error('no link');
    const api = new ToxiproxyProcess(link.admin);
    const was = await api.readBack(link.proxy);
    await api.addToxic(link.proxy, {
      name: 'theirs',
      type: 'latency',
      stream: 'upstream',
      attributes: { latency: 300, jitter: 0 },
    });
    const written = { fault: 'network-latency', victim: { broker: 1 }, params: { latency: '1s' } };
    const { outcome, samples, edges } = await runUntil(cluster.target, written).finally(
      async () => await api.restore(was, ['theirs']),
    );
    expect([outcome.reason, edgeNames({ edges })]).toEqual([undefined, WHOLE_LIFE]);
    const healingAt = edges.find(({ edge }) => edge === 'healing')?.at ?? 0;
    const late = samples
      .filter(({ kind, holds, at }) => kind === 'effect' && holds && at < healingAt)
      .map(({ seen }) => Number(/([\d.]+) ms/u.exec(seen)?.[1]));
    expect(Math.min(...late)).toBeGreaterThan(1100);
  });

  // Trap 11: a restart takes every toxic away.
  it('a fault whose Toxiproxy is restarted has ended by itself, and is told', async () => {
    const restart = async (): Promise<void> => {
      await real?.[Symbol.asyncDispose]();
      real = await startToxiproxy({ port: own.port, proxies: own.proxies });
    };
    let restarted: Promise<void> | undefined;
    const written = { fault: 'client-partition', ...leader, params: { mode: 'blackhole' } };
    const seen = await runUntil(
      cluster.target,
      written,
      { edge: 'unconfirmed' },
      {
        onEdge: ({ edge }) => {
          if (edge === 'confirmed') restarted = restart();
        },
      },
    );
    await restarted;
    expect(seen.outcome.confirmed).toBe(false);
    expect(seen.outcome.reason).toMatch(/ended|is not there|does not answer|late/u);
    expect(edgeNames(seen).slice(-2)).toEqual(['healing', 'healed']);
  });
});
