import { expect, test } from 'vitest';
import { append, appendMarker, collect, openReader, startFakeCluster } from '../../test/clients/client-fixture.ts';
import type { ReaderOptions } from './client.ts';
import { openKafkaJsReader } from './kafkajs-reader.ts';

const kafkajs = { openReader: (options: ReaderOptions) => openKafkaJsReader(options) };

test('a range that is read already asks the cluster nothing', async () => {
  const cluster = await startFakeCluster();
  const { range } = collect({ from: 5, above: 4 });
  const result = await (await openReader(kafkajs, cluster)).readRange(range);
  expect(result).toEqual({ from: 5, position: 5, end: 'complete' });
  expect(cluster.brokers[0]?.seen).toEqual([]);
});

test('a log that begins elsewhere than it was told ends the range, and not a record is believed', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a', 'b', 'c');
  append(cluster, 'd');
  // The broker claims to hold offset 1 and gives what stands at 3.
  cluster.log.shift();
  const { range, seen } = collect({ from: 1, above: 3 });
  const result = await (await openReader(kafkajs, cluster)).readRange(range);
  expect(result).toMatchObject({ from: 1, end: 'out-of-range', detail: 'sought offset 1, was given 3' });
  expect(seen).toEqual([]);
});

test('a range may begin at a control record, with records behind it in the same answer or in a later one', async () => {
  const cluster = await startFakeCluster();
  appendMarker(cluster);
  const later = collect({ from: 0, above: 1 });
  const reading = (await openReader(kafkajs, cluster)).readRange(later.range);
  await expect.poll(() => cluster.brokers[0]?.seen.filter(({ api }) => api === 'Fetch').length).toBeGreaterThan(2);
  append(cluster, 'a');
  expect(await reading).toMatchObject({ position: 2, end: 'complete' });
  const together = collect({ from: 0, above: 1 });
  const result = await (await openReader(kafkajs, cluster)).readRange(together.range);
  expect(result).toMatchObject({ position: 2, end: 'complete' });
  expect([later.seen, together.seen]).toEqual([['1 a'], ['1 a']]);
});

test('nothing is given after the range came to its end', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a');
  const { range, seen } = collect({ from: 0, above: 0 });
  const reader = await openReader(kafkajs, cluster);
  await reader.readRange(range);
  append(cluster, 'b');
  await reader.close();
  expect(seen).toEqual(['0 a']);
});
