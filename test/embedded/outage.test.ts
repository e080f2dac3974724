// The cluster while a link it needs is cut: nothing is acknowledged that is not safe, and it comes back by itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Link, PathName } from '../../src/targets/target.ts';
import {
  batchOf,
  broken,
  connect,
  createTopic,
  Load,
  type RunningCluster,
  readAll,
  startCluster,
} from './running-cluster.ts';

const PARTITIONS = [0, 1, 2];

let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

const linksOf = (path: PathName, node = 'broker/'): readonly Link[] =>
  cluster.can.links.all.filter((link) => link.path === path && link.node.startsWith(node));

const setEnabled = async (links: readonly Link[], enabled: boolean): Promise<void> => {
  for (const { admin, proxy } of links) {
    const body = JSON.stringify({ enabled });
    const answer = await fetch(`http://${admin.host}:${admin.port}/proxies/${proxy}`, { method: 'POST', body });
    expect(answer.status).toBe(200);
  }
};

/** Runs `during` with links cut, under load, and then checks every acknowledgement. */
const withCut = async (topic: string, links: readonly Link[], during: (load: Load) => Promise<void>): Promise<void> => {
  await createTopic(cluster, topic, PARTITIONS.length);
  const load = new Load(cluster, topic, PARTITIONS.length);
  await load.progress(PARTITIONS, 5000);
  await setEnabled(links, false);
  try {
    await during(load);
  } finally {
    await setEnabled(links, true);
  }
  await load.progress(PARTITIONS, 15_000);
  await load.stop();
  const seen = await readAll(cluster, topic);
  expect(broken(load.acked, seen)).toEqual([]);
};

const pause = async (ms: number): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
};

/** A produce request to the leader of partition 0 with a timeout of its own. */
const produceDirectly = async (topic: string, timeoutMs: number): Promise<number | undefined> => {
  const asked = await connect(cluster.target.brokers[0]!.direct);
  const metadata = await asked.request('Metadata', { topics: [{ name: topic }] }, { deadlineMs: 3000 });
  asked.close();
  const leaderId = metadata.topics[0]?.partitions[0]?.leaderId;
  const leader = await connect(cluster.target.brokers.find((broker) => broker.id === leaderId)!.direct);
  const topicData = [{ name: topic, partitionData: [{ index: 0, records: batchOf(1) }] }];
  const answer = await leader.request('Produce', { acks: -1, timeoutMs, topicData }, { deadlineMs: 10_000 });
  leader.close();
  return answer.responses[0]?.partitionResponses[0]?.errorCode;
};

describe('with a link cut', () => {
  it('to the write-ahead log a request is answered with "timed out" when its own time is over', async () => {
    await withCut('timed', linksOf('s3-wal'), async () => {
      const begun = performance.now();
      expect(await produceDirectly('timed', 700)).toBe(7);
      expect(performance.now() - begun).toBeGreaterThanOrEqual(650);
      expect(performance.now() - begun).toBeLessThan(4000);
    });
  });

  it('to the write-ahead log nothing is acknowledged, and everything goes on afterwards', async () => {
    await withCut('wal', linksOf('s3-wal'), async (load) => {
      await pause(300);
      const before = load.acked.size;
      await pause(1500);
      expect(load.acked.size).toBe(before);
    });
  });

  it('to the data objects acknowledgements go on: the write-ahead log holds what waits', async () => {
    await withCut('data', linksOf('s3-data'), async (load) => {
      await pause(500);
      await load.progress(PARTITIONS, 3000);
    });
  });

  it('between one broker and the controller its partitions move to the others', async () => {
    await withCut('controller', linksOf('controller', 'broker/1'), async (load) => {
      await pause(1500);
      await load.progress(PARTITIONS, 5000);
    });
  });

  it('to the stores and the controller a broker still ends in time when it is told to', async () => {
    const links = [
      ...linksOf('s3-wal', 'broker/2'),
      ...linksOf('s3-data', 'broker/2'),
      ...linksOf('controller', 'broker/2'),
    ];
    await withCut('stop', links, async () => {
      const begun = performance.now();
      const { exitCode } = await cluster.can.processes.terminate('broker/2', 5000, cluster.signal);
      expect(exitCode).toBe(0);
      expect(performance.now() - begun).toBeLessThan(3000);
    });
    await cluster.can.processes.start('broker/2', cluster.signal);
  });
});
