// The embedded cluster with its write-ahead log on volumes: whatever is killed, paused or cut, the volume process included, what was
// acknowledged is there afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ToxiproxyProcess } from '../../src/faults/backends/toxiproxy.ts';
import type { NodeId } from '../../src/targets/target.ts';
import { keepsItsPromises, PARTITIONS, type RunningCluster, startCluster } from './running-cluster.ts';

const BROKERS = ['broker/1', 'broker/2', 'broker/3'];
/** Longer than the session of a broker. */
const PAUSE_MS = 2000;

const passed = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

describe.each(['block', 'nfs'] as const)('with wal: %s everything acknowledged is read back after', (wal) => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await startCluster(3, wal);
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  const kill = async (node: NodeId): Promise<void> => {
    await cluster.can.processes.kill(node, cluster.signal);
  };
  const start = async (node: NodeId): Promise<void> => {
    await cluster.can.processes.start(node, cluster.signal);
  };
  const freeze = async (node: NodeId): Promise<void> => {
    await cluster.can.processes.pause(node, cluster.signal);
    await passed(PAUSE_MS);
    await cluster.can.processes.resume(node, cluster.signal);
  };

  it('a broker was killed and its partitions went to others', async () => {
    await keepsItsPromises(cluster, 'kill-one', async (load) => {
      await kill('broker/1');
      await load.progress(PARTITIONS, 15_000);
      await start('broker/1');
    });
  });

  it('power was cut: every broker and the volume were killed', async () => {
    await keepsItsPromises(cluster, 'power', async () => {
      await Promise.all([...BROKERS, 'volume'].map(kill));
      await Promise.all([...BROKERS, 'volume'].map(start));
    });
  });

  it('the volume alone was killed, with writes of living brokers in it', async () => {
    await keepsItsPromises(cluster, 'volume-kill', async () => {
      await kill('volume');
      await start('volume');
    });
  });

  it('the volume was paused', async () => {
    await keepsItsPromises(cluster, 'volume-pause', async () => await freeze('volume'));
  });

  it('a broker was paused for longer than its session and woke up as a former owner', async () => {
    await keepsItsPromises(cluster, 'pause', async () => await freeze('broker/2'));
  });

  it('a broker was cut off from the volume for a while', async () => {
    await keepsItsPromises(cluster, 'cut', async () => {
      const link = cluster.can.links.all.find(({ path, node }) => path === 'wal' && node === 'broker/3');
      expect(link).toBeDefined();
      const proxy = new ToxiproxyProcess(link!.admin);
      await proxy.setEnabled(link!.proxy, false);
      await passed(PAUSE_MS);
      await proxy.setEnabled(link!.proxy, true);
    });
  });
});
