import { expect, test } from 'vitest';
import { assertSameCluster } from './same-cluster.ts';

const saying = (clusterId: () => Promise<string | undefined>) => ({ clusterId });

test('another cluster at the same addresses ends the run; the same, a silent one and one without an id do not', async () => {
  const other = saying(async () => await Promise.resolve('B'));
  await expect(assertSameCluster({ clusterId: 'A', eye: other })).rejects.toMatchObject({
    code: 'CLUSTER_CHANGED',
    kind: 'environment',
    message: 'The cluster that answers is now B, and the run began on A, so nothing can be said of its records.',
  });
  await expect(assertSameCluster({ clusterId: 'B', eye: other })).resolves.toBeUndefined();
  await expect(assertSameCluster({ eye: other })).resolves.toBeUndefined();
  const silent = saying(async () => await Promise.reject(new Error('refused')));
  await expect(assertSameCluster({ clusterId: 'A', eye: silent })).resolves.toBeUndefined();
  const nameless = saying(async () => await Promise.resolve(undefined));
  await expect(assertSameCluster({ clusterId: 'A', eye: nameless })).resolves.toBeUndefined();
});
