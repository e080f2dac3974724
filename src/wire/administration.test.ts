// Orders and questions of administrators: settings, replicas, elections, directories.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster, type Fate, TOPIC } from '../../test/support/fake-cluster.ts';
import type { BrokerId } from '../vocabulary.ts';
import { ClusterClient } from './cluster-client.ts';
import { changeSettings, describeSettings } from './config-changes.ts';
import { raiseFeatures } from './feature-updates.ts';
import { electPreferredLeaders } from './leader-election.ts';
import { describeLogDirs } from './log-dirs.ts';
import { ongoingReassignments, reassignPartitions } from './reassignment.ts';

let cluster: FakeCluster;
let client: ClusterClient;
const options = { deadlineMs: 5000 };
const place = { topic: TOPIC, partition: 0 };
const ids = (...list: readonly number[]): readonly BrokerId[] => list as readonly BrokerId[];

const fates = (api: string, ...list: readonly Fate[]): void => {
  const left = [...list];
  cluster.hook = (request) => (request.api === api ? (left.shift() ?? 'serve') : 'serve');
};

beforeEach(async () => {
  cluster = await FakeCluster.start(3);
  client = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test' });
});

afterEach(async () => {
  client.close();
  await cluster.stop();
});

describe('reassigning partitions', () => {
  it('orders the replicas, and asks again while there is no controller', async () => {
    fates('AlterPartitionReassignments', { code: 41 });
    await reassignPartitions(client, [{ ...place, replicas: ids(3, 1, 2) }], options);
    expect(cluster.administration.replicas).toEqual([3, 1, 2]);
  });

  it('throws with the code and the words of the cluster', async () => {
    fates('AlterPartitionReassignments', { code: 39 });
    const asked = reassignPartitions(client, [{ ...place, replicas: ids(9) }], options);
    await expect(asked).rejects.toMatchObject({
      code: 'WIRE_REFUSED',
      kafkaCode: 39,
      message: expect.stringMatching(/orders\/0.*INVALID_REPLICA_ASSIGNMENT.*refused by the fake/) as string,
    });
  });

  it('lists what is still on its way', async () => {
    expect(await ongoingReassignments(client, [place], options)).toEqual([]);
    cluster.administration.adding = [3];
    expect(await ongoingReassignments(client, null, options)).toEqual([
      { ...place, replicas: [1, 2, 3], adding: [3], removing: [] },
    ]);
  });
});

describe('electing leaders', () => {
  it('moves the leadership to the first replica, once', async () => {
    cluster.administration.replicas = [2, 1, 3];
    expect(await electPreferredLeaders(client, [place], options)).toEqual([{ ...place, hasChanged: true }]);
    expect(cluster.leader).toBe(2);
    expect(await electPreferredLeaders(client, [place], options)).toEqual([{ ...place, hasChanged: false }]);
    expect(cluster.leaderEpoch).toBe(1);
  });

  it('throws where the first replica cannot lead', async () => {
    fates('ElectLeaders', { code: 80 });
    const asked = electPreferredLeaders(client, [place], options);
    await expect(asked).rejects.toMatchObject({ code: 'WIRE_REFUSED', kafkaCode: 80 });
  });
});

describe('raising features', () => {
  const levels = { 'eligible.leader.replicas.version': 1 };

  it('waits for a controller that has not registered yet', async () => {
    fates('UpdateFeatures', { code: 95 }, { code: 41 }, { code: 95 });
    await raiseFeatures(client, levels, options);
    expect([...cluster.administration.features]).toEqual(Object.entries(levels));
  });

  it('gives up at its deadline, with the words of the cluster', async () => {
    cluster.hook = (request) => (request.api === 'UpdateFeatures' ? { code: 95 } : 'serve');
    const asked = raiseFeatures(client, levels, { deadlineMs: 300 });
    await expect(asked).rejects.toMatchObject({
      code: 'WIRE_UNREACHABLE',
      kafkaCode: 95,
      message: expect.stringMatching(/INVALID_UPDATE_VERSION.*refused by the fake/) as string,
    });
  });

  it('does not repeat what is refused for good', async () => {
    const codes: number[] = [];
    cluster.hook = (request) => {
      if (request.api !== 'UpdateFeatures') return 'serve';
      codes.push(31);
      return { code: 31 };
    };
    await expect(raiseFeatures(client, levels, options)).rejects.toMatchObject({ code: 'WIRE_REFUSED', kafkaCode: 31 });
    expect(codes).toEqual([31]);
  });
});

describe('settings', () => {
  const resource = { type: 'broker', name: '2' } as const;

  it('are set on one broker, told to be its own, and taken away again', async () => {
    const names = ['message.max.bytes'];
    expect(await describeSettings(client, resource, names, options)).toEqual(
      new Map([['message.max.bytes', { value: 'default', isOwn: false }]]),
    );
    await changeSettings(client, resource, { 'message.max.bytes': '1000' }, options);
    expect(await describeSettings(client, resource, names, options)).toEqual(
      new Map([['message.max.bytes', { value: '1000', isOwn: true }]]),
    );
    await changeSettings(client, resource, { 'message.max.bytes': null }, options);
    expect(cluster.administration.settings.size).toBe(0);
  });

  it('are asked and changed at the broker itself', async () => {
    await changeSettings(client, resource, { 'num.io.threads': '4' }, options);
    await describeSettings(client, resource, ['num.io.threads'], options);
    const apis = cluster.brokers[1]?.seen.map(({ api }) => api);
    expect(apis).toEqual(expect.arrayContaining(['IncrementalAlterConfigs', 'DescribeConfigs']));
  });

  it('throw the words of a broker that does not take them', async () => {
    fates('IncrementalAlterConfigs', { code: 40 });
    const asked = changeSettings(client, resource, { 'num.io.threads': '-1' }, options);
    await expect(asked).rejects.toMatchObject({
      kafkaCode: 40,
      message: expect.stringMatching(/no such value/) as string,
    });
  });
});

describe('log directories', () => {
  it('are told by the broker that was asked, one that has failed among them', async () => {
    const [first, second] = await describeLogDirs(client, 2 as BrokerId, [place], options);
    expect(first).toEqual({
      path: '/data/one',
      errorCode: 0,
      totalBytes: 5000,
      usableBytes: 4000,
      replicas: [{ ...place, sizeBytes: 1002, offsetLag: 0, isFuture: false }],
    });
    expect(second).toMatchObject({ errorCode: 56, totalBytes: undefined, replicas: [] });
  });

  it('are not asked of a broker that may not be', async () => {
    fates('DescribeLogDirs', { code: 31 });
    await expect(describeLogDirs(client, 2 as BrokerId, null, options)).rejects.toMatchObject({ kafkaCode: 31 });
  });
});
