import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster, type Fate, TOPIC } from '../../test/support/fake-cluster.ts';
import { ClusterClient } from './cluster-client.ts';
import {
  describeCluster,
  describeConfigs,
  describeTopic,
  epochEnd,
  fetchMetadata,
  listOffset,
} from './evidence-calls.ts';
import { createTopic, deleteTopic } from './topic-calls.ts';

let cluster: FakeCluster;
let client: ClusterClient;
const options = { deadlineMs: 5000 };
const place = { topic: TOPIC, partition: 0 };

const fates = (api: string, ...list: readonly Fate[]): void => {
  const left = [...list];
  cluster.hook = (request) => (request.api === api ? (left.shift() ?? 'serve') : 'serve');
};

beforeEach(async () => {
  cluster = await FakeCluster.start(2);
  client = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test' });
});

afterEach(async () => {
  client.close();
  await cluster.stop();
});

describe('evidence calls', () => {
  it('wait for a leader that is not there yet', async () => {
    fates('ListOffsets', { code: 6 }, { code: 78 });
    expect(await listOffset(client, place, 'latest', 'read_committed', options)).toMatchObject({ offset: 0 });
  });

  it('ask again about a topic that the broker has not heard of yet', async () => {
    fates('Metadata', { code: 3 }, { code: 3 });
    expect((await describeTopic(client, TOPIC, options)).partitions).toHaveLength(1);
  });

  it('tell that a topic is not there, once the deadline has passed', async () => {
    cluster.hook = (request) => (request.api === 'Metadata' ? { code: 3 } : 'serve');
    await expect(describeTopic(client, TOPIC, { deadlineMs: 200 })).rejects.toThrow(/UNKNOWN_TOPIC_OR_PARTITION/);
  });

  it('take no sentinel for an offset', async () => {
    cluster.logStart = -1;
    const asked = listOffset(client, place, 'earliest', 'read_uncommitted', options);
    await expect(asked).rejects.toMatchObject({ code: 'WIRE_REFUSED', message: expect.stringMatching(/-1/) as string });
  });

  it('do not repeat what is refused for good', async () => {
    cluster.hook = (request) => (request.api === 'ListOffsets' ? { code: 29 } : 'serve');
    const asked = listOffset(client, place, 'latest', 'read_committed', options);
    await expect(asked).rejects.toMatchObject({ code: 'WIRE_REFUSED', kafkaCode: 29 });
  });

  it('tell where an epoch ended', async () => {
    expect(await epochEnd(client, place, 4, options)).toEqual({ offset: 17, leaderEpoch: 3 });
  });

  it('tell which brokers are fenced, or that the version cannot tell', async () => {
    cluster.fenced.add(2);
    const told = await describeCluster(client, options);
    expect(told.brokers.map(({ isFenced }) => isFenced)).toEqual([false, true]);
    client.close();
    cluster.versions.set('DescribeCluster', [0, 1]);
    client = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test' });
    const untold = await describeCluster(client, options);
    expect(untold.brokers.map(({ isFenced }) => isFenced)).toEqual([undefined, undefined]);
  });

  it('ask a broker itself for its own settings', async () => {
    for (const id of ['1', '2']) {
      expect((await describeConfigs(client, { type: 'broker', name: id }, options)).get('asked')).toBe(id);
    }
  });

  it('use the address given for a broker instead of the one it advertises', async () => {
    const [first, second] = cluster.bootstrap;
    const direct = new ClusterClient({
      bootstrap: [first!],
      clientId: 'test',
      addressOf: ({ id }) => (id === 1 ? second! : first!),
    });
    expect((await describeConfigs(direct, { type: 'broker', name: '1' }, options)).get('asked')).toBe('2');
    direct.close();
  });

  it('fail with the last trouble when no broker can be reached', async () => {
    await cluster.stop();
    const asked = fetchMetadata(client, null, { deadlineMs: 150 });
    await expect(asked).rejects.toMatchObject({ code: 'WIRE_UNREACHABLE' });
    cluster = await FakeCluster.start();
  });
});

describe('creating and deleting topics', () => {
  const topic = { name: 'new', partitions: 1, replicationFactor: 1, config: { 'retention.ms': '1' } };

  it('creates and deletes', async () => {
    await createTopic(client, topic, options);
    expect(cluster.created).toEqual(new Set(['new']));
    await deleteTopic(client, 'new', options);
    expect(cluster.created.size).toBe(0);
  });

  it('refuses a topic that exists, and one that does not, at once', async () => {
    await createTopic(client, topic, options);
    await expect(createTopic(client, topic, options)).rejects.toMatchObject({ kafkaCode: 36 });
    await expect(deleteTopic(client, 'never', options)).rejects.toMatchObject({ kafkaCode: 3 });
  });

  it('takes "exists" for success after an answer was lost, "unknown" likewise', async () => {
    fates('CreateTopics', { code: 7 }, 'serve');
    await createTopic(client, topic, options);
    cluster.created.clear();
    let lost = false;
    cluster.hook = (request, broker) => {
      if (lost || (request.api !== 'CreateTopics' && request.api !== 'DeleteTopics')) return 'serve';
      lost = true;
      cluster.answer(request, broker, 0);
      return 'hang-up';
    };
    await createTopic(client, topic, options);
    expect(cluster.created).toEqual(new Set(['new']));
    lost = false;
    await deleteTopic(client, 'new', options);
    expect(cluster.created.size).toBe(0);
  });
});
