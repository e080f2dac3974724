import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster, TOPIC } from '../../test/support/fake-cluster.ts';
import { isNotServed } from './api-negotiation.ts';
import { ClusterClient } from './cluster-client.ts';
import { findOffset } from './evidence-calls.ts';
import { describePartitions } from './partition-evidence.ts';

let cluster: FakeCluster;
let client: ClusterClient;
const options = { deadlineMs: 5000 };
const place = { topic: TOPIC, partition: 0 };

const thrownBy = async (asked: Promise<unknown>): Promise<unknown> => await asked.catch((thrown: unknown) => thrown);

beforeEach(async () => {
  cluster = await FakeCluster.start(3);
  client = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test' });
});

afterEach(async () => {
  client.close();
  await cluster.stop();
});

describe('the partitions of a topic', () => {
  it('are told with their leader, its epoch and all their replicas', async () => {
    cluster.moveLeader(2);
    expect(await describePartitions(client, TOPIC, options)).toEqual([
      {
        partition: 0,
        leader: 2,
        leaderEpoch: 1,
        replicas: [1, 2, 3],
        inSync: [1, 2, 3],
        offline: [],
        eligible: undefined,
        lastKnownEligible: undefined,
      },
    ]);
  });

  it('name eligible replicas where the cluster keeps such a set, and nobody while nobody leads', async () => {
    cluster.administration.eligible = [3];
    cluster.moveLeader(-1);
    const [first] = await describePartitions(client, TOPIC, options);
    expect(first).toMatchObject({ leader: undefined, eligible: [3], lastKnownEligible: [] });
  });

  it('come page by page until the cursor is at its end', async () => {
    cluster.administration.partitions = 5;
    cluster.administration.pageSize = 2;
    const all = await describePartitions(client, TOPIC, options);
    expect(all.map(({ partition }) => partition)).toEqual([0, 1, 2, 3, 4]);
  });

  it('are not asked for ever by a cursor that stays where it is', async () => {
    cluster.administration.partitions = 5;
    cluster.administration.pageSize = 0;
    await expect(describePartitions(client, TOPIC, options)).rejects.toThrow(/was to go on at partition 0/);
  });

  it('are asked for again while the broker has not heard of the topic', async () => {
    let left = 2;
    cluster.hook = (request) => (request.api === 'DescribeTopicPartitions' && left-- > 0 ? { code: 3 } : 'serve');
    expect(await describePartitions(client, TOPIC, options)).toHaveLength(1);
  });

  it('are not served by an older broker, and that can be told from any other trouble', async () => {
    cluster.versions.set('DescribeTopicPartitions', [7, 8]);
    expect(isNotServed(await thrownBy(describePartitions(client, TOPIC, options)))).toBe(true);
    cluster.versions.delete('DescribeTopicPartitions');
    cluster.hook = (request) => (request.api === 'DescribeTopicPartitions' ? { code: 29 } : 'serve');
    const other = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test' });
    expect(isNotServed(await thrownBy(describePartitions(other, TOPIC, options)))).toBe(false);
    other.close();
  });
});

describe('special places in a log', () => {
  it.each([
    ['max-timestamp', -3],
    ['earliest-local', -4],
    ['latest-tiered', -5],
    ['earliest-pending-upload', -6],
  ] as const)('%s is asked by timestamp %i', async (position, timestamp) => {
    cluster.logStart = 12;
    expect(await findOffset(client, place, position, options)).toEqual({ offset: 12, leaderEpoch: 0 });
    const asked = cluster.brokers.flatMap(({ seen }) => seen).find(({ api }) => api === 'ListOffsets');
    expect(asked?.body).toMatchObject({ topics: [{ partitions: [{ timestamp }] }] });
  });

  it('are undefined where the broker has no such place', async () => {
    cluster.logStart = -1;
    expect(await findOffset(client, place, 'latest-tiered', options)).toBeUndefined();
  });

  it.each([
    ['max-timestamp', 6],
    ['earliest-local', 7],
    ['latest-tiered', 8],
    ['earliest-pending-upload', 10],
  ] as const)('%s cannot be asked in version %i', async (position, version) => {
    cluster.versions.set('ListOffsets', [1, version]);
    expect(isNotServed(await thrownBy(findOffset(client, place, position, options)))).toBe(true);
    cluster.versions.set('ListOffsets', [1, version + 1]);
    const newer = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test' });
    expect(await findOffset(newer, place, position, options)).toBeDefined();
    newer.close();
  });
});
