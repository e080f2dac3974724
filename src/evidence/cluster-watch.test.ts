// All watches together on a fake cluster: what it offers is told, what it lacks or refuses is told once, and how often each was
// answered is told at the end.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster, TOPIC } from '../../test/support/fake-cluster.ts';
import type { BrokerId } from '../vocabulary.ts';
import type { ClusterFact } from './cluster-fact.ts';
import { watchCluster } from './cluster-watch.ts';

let cluster: FakeCluster;
const facts: ClusterFact[] = [];

beforeEach(async () => {
  facts.length = 0;
  cluster = await FakeCluster.start(3);
  cluster.versions.set('DescribeQuorum', [90, 91]);
});

afterEach(async () => {
  await cluster.stop();
});

const watched = async (until: () => boolean): Promise<void> => {
  const brokers = cluster.brokers.map(({ id, port }) => {
    const address = { host: '127.0.0.1', port };
    return { id: id as BrokerId, node: `broker/${id}`, advertised: address, direct: address };
  });
  const watch = watchCluster({
    target: { brokers, evidenceBootstrap: cluster.bootstrap },
    topic: TOPIC,
    partitions: 1,
    at: () => 0,
    clientId: 'test',
    onFact: (fact) => facts.push(fact),
  });
  await expect.poll(until, { timeout: 8_000 }).toBe(true);
  await watch[Symbol.asyncDispose]();
};
const from = (source: string): readonly ClusterFact[] => facts.filter((fact) => fact.source === source);
const hasAll = (...sources: readonly string[]): boolean => sources.every((source) => from(source).length > 0);

describe('a watched cluster', () => {
  it('tells who is fenced, its replicas, its disks and its ends', async () => {
    let began = false;
    await watched(() => {
      const told = from('fenced').length;
      if (told === 1 && !began) {
        began = true;
        cluster.fenced.add(2);
      }
      return told === 2 && hasAll('elr', 'log-dirs/1', 'log-dirs/2', 'log-dirs/3', 'log-ends');
    });
    expect(from('fenced').map(({ text }) => text)).toEqual([
      'fenced: none; not registered: none',
      'fenced: 2; not registered: none',
    ]);
    expect(from('elr')[0]?.data).not.toHaveProperty('eligible');
    expect(from('log-dirs/3')[0]?.data['bytes']).toBe(1003);
  });

  it('tells what is not offered, or refused, once for all brokers, and goes on with the rest', async () => {
    cluster.hook = ({ api }) => (api === 'DescribeLogDirs' ? { code: 31 } : 'serve');
    await watched(() => hasAll('quorum', 'log-dirs', 'fenced'));
    expect(from('quorum').map(({ text }) => text.slice(0, 12))).toEqual(['not provided']);
    expect(from('log-dirs').map(({ text }) => text)).toEqual([expect.stringMatching(/^not permitted: .*CLUSTER_AUTH/)]);
    expect(hasAll('log-dirs/1')).toBe(false);
  });

  it('says at the end how often each watch was answered', async () => {
    await watched(() => hasAll('fenced', 'elr', 'quorum'));
    const covered = new Map(from('coverage').map(({ data }) => [data['watch'], data]));
    expect([...covered.keys()].sort()).toEqual(
      ['elr', 'fenced', 'log-dirs/1', 'log-dirs/2', 'log-dirs/3', 'log-ends', 'quorum'].sort(),
    );
    expect(covered.get('quorum')).toMatchObject({ state: 'not-provided', asked: 1, answered: 0 });
    expect(covered.get('fenced')).toMatchObject({ state: 'answers', everyMs: 500 });
  });
});
