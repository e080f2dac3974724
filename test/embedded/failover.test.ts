// What the embedded cluster is for: whatever is killed, paused or cut, what was acknowledged is there afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrokerNode, NodeId } from '../../src/targets/target.ts';
import {
  connect,
  createTopic,
  kafkaOf,
  keepsItsPromises,
  Load,
  PARTITIONS,
  type RunningCluster,
  startCluster,
} from './running-cluster.ts';

let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await startCluster();
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

describe('everything acknowledged is read back after', () => {
  it('a broker was killed and its partitions went to others', async () => {
    await keepsItsPromises(cluster, 'kill-one', async (load) => {
      await kill('broker/1');
      await load.progress(PARTITIONS, 10_000);
      await start('broker/1');
    });
  });

  it('all brokers and the controller were killed at once', async () => {
    await keepsItsPromises(cluster, 'kill-all', async () => {
      const nodes = ['broker/1', 'broker/2', 'broker/3', 'controller/1'];
      await Promise.all(nodes.map(kill));
      await Promise.all(nodes.map(start));
    });
  });

  it('a broker was paused for longer than its session and woke up as a former owner', async () => {
    await keepsItsPromises(cluster, 'pause', async () => {
      await cluster.can.processes.pause('broker/2', cluster.signal);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await cluster.can.processes.resume('broker/2', cluster.signal);
    });
  });

  it('a broker was stopped in good order, which takes it at most two seconds', async () => {
    await keepsItsPromises(cluster, 'stop', async (load) => {
      const begun = performance.now();
      const { exitCode } = await cluster.can.processes.terminate('broker/3', 5000, cluster.signal);
      expect(exitCode).toBe(0);
      expect(performance.now() - begun).toBeLessThan(2500);
      await load.progress(PARTITIONS, 10_000);
      await start('broker/3');
    });
  });
});

describe('without its controller', () => {
  it('the cluster goes on acknowledging, and it has forgotten nothing when the controller is back', async () => {
    await keepsItsPromises(cluster, 'controller', async (load) => {
      await kill('controller/1');
      await load.progress(PARTITIONS, 5000);
      await start('controller/1');
    });
    const admin = kafkaOf(cluster).admin();
    await admin.connect();
    expect(await admin.listTopics()).toEqual(expect.arrayContaining(['kill-one', 'kill-all', 'pause', 'stop']));
    await admin.disconnect();
  });
});

/** The broker that coordinates a group, once there is one. */
const coordinatorOf = async (group: string): Promise<BrokerNode> => {
  const { brokers } = cluster.target;
  const find = async (): Promise<BrokerNode | undefined> => {
    const states = await Promise.all(brokers.map(async ({ node }) => await cluster.can.processes.state(node)));
    const running = brokers[states.indexOf('running')]!;
    const asked = await connect(running.direct);
    const { coordinators } = await asked.request('FindCoordinator', { coordinatorKeys: [group] }, { deadlineMs: 5000 });
    asked.close();
    return brokers.find((broker) => broker.id === coordinators[0]?.nodeId);
  };
  await expect.poll(find, { timeout: 5000 }).toBeDefined();
  return (await find())!;
};

describe('a consumer group', () => {
  it('goes on when its coordinator is killed, and misses nothing', async () => {
    await createTopic(cluster, 'consumed', 2);
    const consumer = kafkaOf(cluster).consumer({
      groupId: 'survivor',
      heartbeatInterval: 300,
      // kafkajs may join twice, once for a refused join and once for a refused heartbeat, and forgets the member it was in
      // between. The group then waits for that one's session to end, as Apache Kafka's does.
      sessionTimeout: 3000,
      maxWaitTimeInMs: 100,
      retry: { retries: 20, initialRetryTime: 50, maxRetryTime: 500 },
    });
    const seen = new Set<string>();
    await consumer.connect();
    await consumer.subscribe({ topic: 'consumed', fromBeginning: true });
    await consumer.run({
      autoCommitInterval: 200,
      eachMessage: async ({ message }) => {
        await Promise.resolve();
        seen.add(message.key?.toString() ?? '');
      },
    });
    const load = new Load(cluster, 'consumed', 2);
    await expect.poll(() => seen.size, { timeout: 10_000 }).toBeGreaterThan(100);
    const { node } = await coordinatorOf('survivor');
    await kill(node);
    await load.progress([0, 1], 10_000);
    await start(node);
    await load.stop();
    const keys = new Set(load.acked.values());
    await expect.poll(() => [...keys].filter((key) => !seen.has(key)).length, { timeout: 15_000 }).toBe(0);
    await consumer.disconnect();
  });
});

describe('committed offsets', () => {
  const options = { deadlineMs: 5000 };

  it('are as durable as records: there after everything was killed', async () => {
    await createTopic(cluster, 'committed', 1);
    const before = await connect((await coordinatorOf('durable')).direct);
    const partitions = [{ partitionIndex: 0, committedOffset: 17, committedMetadata: 'note' }];
    const commit = { groupId: 'durable', topics: [{ name: 'committed', partitions }] };
    const answer = await before.request('OffsetCommit', commit, options);
    expect(answer.topics[0]?.partitions[0]?.errorCode).toBe(0);
    before.close();
    const nodes = ['broker/1', 'broker/2', 'broker/3', 'controller/1', 'object-store'];
    await Promise.all(nodes.map(kill));
    await Promise.all(nodes.map(start));
    const after = await connect((await coordinatorOf('durable')).direct);
    const wanted = { groups: [{ groupId: 'durable', topics: null }] };
    const { groups } = await after.request('OffsetFetch', wanted, options);
    expect(groups[0]).toMatchObject({
      errorCode: 0,
      topics: [{ name: 'committed', partitions: [{ partitionIndex: 0, committedOffset: 17, metadata: 'note' }] }],
    });
    after.close();
  });
});
