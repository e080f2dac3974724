import { expect, test } from 'vitest';
import { assertSameCluster } from './same-cluster.ts';

type Told = () => Promise<string | undefined>;

const told = (id: string | undefined): Told => {
  return async () => await Promise.resolve(id);
};
const silent: Told = async () => await Promise.reject(new Error('refused'));
const saying = (clusterId: Told, topicId: Told = silent) => ({ clusterId, topicId });

test('another cluster at the same addresses ends the run; the same, a silent one and one without an id do not', async () => {
  const other = saying(told('B'));
  await expect(assertSameCluster({ clusterId: 'A', eye: other })).rejects.toMatchObject({
    code: 'CLUSTER_CHANGED',
    kind: 'environment',
    message: 'The cluster that answers is now B, and the run began on A, so nothing can be said of its records.',
  });
  await expect(assertSameCluster({ clusterId: 'B', eye: other })).resolves.toBeUndefined();
  await expect(assertSameCluster({ eye: other })).resolves.toBeUndefined();
  await expect(assertSameCluster({ clusterId: 'A', eye: saying(silent) })).resolves.toBeUndefined();
  await expect(assertSameCluster({ clusterId: 'A', eye: saying(told(undefined)) })).resolves.toBeUndefined();
});

// Red before: every cluster of the image has the same id, and what another one did not have was a loss of the first.
test('so does another topic of the same name on a cluster of the same id', async () => {
  const topic = { topic: 'orders', topicId: 'T1' };
  const ask = async (topicId: Told, clusterId: string | undefined = 'A'): Promise<void> =>
    await assertSameCluster({ clusterId, eye: saying(told('A'), topicId) }, topic);
  await expect(ask(told('T2'))).rejects.toMatchObject({
    code: 'CLUSTER_CHANGED',
    message: 'The topic orders that answers is now T2, and the run began on T1, so nothing can be said of its records.',
  });
  for (const same of [told('T1'), told(undefined), silent]) await expect(ask(same)).resolves.toBeUndefined();
  await expect(assertSameCluster({ eye: saying(told('A'), told('T2')) }, topic)).resolves.toBeUndefined();
});
