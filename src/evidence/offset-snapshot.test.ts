import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeCluster, TOPIC } from '../../test/support/fake-cluster.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import { takeOffsets } from './offset-snapshot.ts';

let cluster: FakeCluster;
let client: ClusterClient;

beforeEach(async () => {
  cluster = await FakeCluster.start(1);
  client = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test' });
});

afterEach(async () => {
  client.close();
  await cluster.stop();
});

// Red before: each of its four questions had a deadline of its own.
test('all questions of a snapshot have one deadline together', async () => {
  // Each question is refused for a while, which fits into the deadline; that of all of them does not.
  const since = new Map<string, number>();
  cluster.hook = (request) => {
    if (request.api !== 'ListOffsets') return 'serve';
    const { isolationLevel, topics } = request.body;
    const question = `${isolationLevel} ${topics[0]?.partitions[0]?.timestamp}`;
    if (!since.has(question)) since.set(question, performance.now());
    return performance.now() - (since.get(question) ?? 0) < 150 ? { code: 6 } : 'serve';
  };
  const { taken, missing } = await takeOffsets(client, { topic: TOPIC, at: () => 0, deadlineMs: 300 });
  expect(taken).toEqual([]);
  expect(missing).toEqual([expect.objectContaining({ partition: 0, why: expect.stringMatching(/Gave up/) as string })]);
});
