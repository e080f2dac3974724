// Object evidence taken from a real embedded cluster: its index held against its bucket, a range of an object, and what is planted.
import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { compareWithIndex } from '../../src/evidence/index-comparison.ts';
import { readSample, sampledObject } from '../../src/evidence/range-sample.ts';
import { tallyRequests } from '../../src/evidence/request-tally.ts';
import { makeTopic, produce, signal, startCluster } from './cluster-fixture.ts';

it('the index and the bucket of a cluster agree until an object is deleted, or one is put there that nobody named', async () => {
  await using cluster = await startCluster();
  const { objectStore, cooling } = cluster.can;
  const began = systemClock.wall();
  await makeTopic(cluster, 'orders');
  await produce(cluster, 'orders', 40, 25);
  await cooling.cool(signal);
  const { topics } = await cluster.client.metadata(['orders'], { remainingMs: () => 5_000, signal });
  const topicId = topics[0]!.topicId;
  const ids = new Set([topicId]);

  const sound = await compareWithIndex(objectStore, ids, signal);
  expect(sound?.objects).toBeGreaterThan(0);
  expect(sound).toMatchObject({ missing: { objects: 0 }, orphans: { objects: 0 } });

  const objects = await objectStore.list(`data/${topicId}/`, signal);
  const victim = sampledObject(objects)!;
  const store = {
    getRange: objectStore.getRange!.bind(objectStore),
    describeKey: objectStore.describeKey!.bind(objectStore),
  };
  expect(await readSample(store, victim, signal)).toMatchObject({ key: victim.key, result: 'as-named', first: 0 });

  await objectStore.remove(victim.key, signal);
  const orphan = `data/${topicId}/0/0000000000090000-0000000000090001-9-planted`;
  await objectStore.put(orphan, new Uint8Array(5), signal);
  expect(await compareWithIndex(objectStore, ids, signal)).toEqual({
    objects: sound?.objects,
    missing: { objects: 1, keys: [victim.key] },
    orphans: { objects: 1, bytes: 5, keys: [orphan] },
  });
  expect(await readSample(store, victim, signal)).toMatchObject({ result: 'failed' });

  const window = { fromMs: began, toMs: systemClock.wall() };
  const rows = tallyRequests(await objectStore.requests!(began, signal), window);
  const counted = (path: string, operation: string): number =>
    rows.filter((row) => row.path === path && row.operation === operation).reduce((sum, row) => sum + row.requests, 0);
  expect(counted('wal', 'PutObject')).toBeGreaterThanOrEqual(40);
  expect(counted('data', 'PutObject')).toBe(sound?.objects);
  expect(counted('harness', 'DeleteObject')).toBe(1);
});
