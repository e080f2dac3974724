import { expect, test } from 'vitest';
import type { StartedTarget } from '../targets/target.ts';
import { assertSameCluster } from './same-cluster.ts';

type Told = () => Promise<string | undefined>;

const told = (id: string | undefined): Told => {
  return async () => await Promise.resolve(id);
};
const silent: Told = async () => await Promise.reject(new Error('refused'));
const saying = (clusterId: Told, topicId: Told = silent) => ({ clusterId, topicId });
const brokers = [1, 2].map((id) => ({ node: `broker/${id}` })) as unknown as StartedTarget['brokers'];
/** Brokers of which so many ended by themselves. */
const withEnded = (count: number) => ({ brokers, casualties: () => brokers.slice(0, count).map(({ node }) => node) });
const target = withEnded(0);

test('another cluster at the same addresses ends the run; the same, a silent one and one without an id do not', async () => {
  const other = saying(told('B'));
  await expect(assertSameCluster({ clusterId: 'A', eye: other, target })).rejects.toMatchObject({
    code: 'CLUSTER_CHANGED',
    kind: 'environment',
    message: 'The cluster that answers is now B, and the run began on A, so nothing can be said of its records.',
  });
  await expect(assertSameCluster({ clusterId: 'B', eye: other, target })).resolves.toBeUndefined();
  await expect(assertSameCluster({ eye: other, target })).resolves.toBeUndefined();
  await expect(assertSameCluster({ clusterId: 'A', eye: saying(silent), target })).resolves.toBeUndefined();
  await expect(assertSameCluster({ clusterId: 'A', eye: saying(told(undefined)), target })).resolves.toBeUndefined();
});

// Red before: every cluster of the image has the same id, and what another one did not have was a loss of the first.
test('so does another topic of the same name where every broker ended behind our back', async () => {
  const topic = { topic: 'orders', topicId: 'T1' };
  const ask = async (topicId: Told, ended = 2, clusterId: string | undefined = 'A'): Promise<void> =>
    await assertSameCluster({ clusterId, eye: saying(told('A'), topicId), target: withEnded(ended) }, topic);
  await expect(ask(told('T2'))).rejects.toMatchObject({
    code: 'CLUSTER_CHANGED',
    message: 'The topic orders that answers is now T2, and the run began on T1, so nothing can be said of its records.',
  });
  for (const same of [told('T1'), told(undefined), silent]) await expect(ask(same)).resolves.toBeUndefined();
  const noId = { eye: saying(told('A'), told('T2')), target: withEnded(2) };
  await expect(assertSameCluster(noId, topic)).resolves.toBeUndefined();
});

// Red before: a cluster that lost its metadata, and whose topic somebody made again, ended with 69 and not with its loss.
test('a topic that was made anew on brokers that go on is left to the judge', async () => {
  const topic = { topic: 'orders', topicId: 'T1' };
  const eye = saying(told('A'), told('T2'));
  for (const ended of [0, 1]) {
    const known = { clusterId: 'A', eye, target: withEnded(ended) };
    await expect(assertSameCluster(known, topic)).resolves.toBeUndefined();
  }
  await expect(assertSameCluster({ clusterId: 'A', eye, target: { brokers } }, topic)).resolves.toBeUndefined();
});
