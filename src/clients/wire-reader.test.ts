import { expect, test } from 'vitest';
import { append, appendMarker, collect, openReader, startFakeCluster } from '../../test/clients/client-fixture.ts';
import { sealBatch } from '../wire/batch-header.ts';
import type { ReaderOptions, ReadRecord } from './client.ts';
import { openWireReader } from './wire-reader.ts';

const wire = { openReader: (options: ReaderOptions) => openWireReader(options) };
const NOT_LEADER = 6;

test('a record whose bytes were changed is given as damaged, and the reader goes on behind it', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a');
  append(cluster, 'b');
  const first = cluster.log[0];
  first?.writeUInt8((first.at(-2) ?? 0) ^ 1, first.length - 2);
  const { range, records } = collect({ from: 0, above: 1 });
  expect(await (await openReader(wire, cluster)).readRange(range)).toMatchObject({ position: 2, end: 'complete' });
  expect(records.map(({ offset, damaged }) => [offset, damaged ?? false])).toEqual([
    [0, true],
    [1, false],
  ]);
});

test('a batch of which nothing can be read is told as so many damaged offsets', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a', 'b', 'c');
  cluster.log[0]?.fill(0xff, 61);
  const { range, records } = collect({ from: 0, above: 2 });
  await (await openReader(wire, cluster)).readRange(range);
  expect(records).toMatchObject([0, 1, 2].map((offset) => ({ offset, key: null, value: null, damaged: true })));
});

/** With a right checksum over records that are none. */
const appendUnreadable = (cluster: Awaited<ReturnType<typeof startFakeCluster>>): void => {
  append(cluster, 'theirs', 'too');
  const batch = cluster.log.at(-1);
  if (batch === undefined) throw new Error('nothing was appended');
  batch.fill(0xff, 61);
  sealBatch(batch, 0, batch.length);
};

test('an intact batch that cannot be read is stepped over where others write, too, and told', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a');
  appendUnreadable(cluster);
  append(cluster, 'b');
  const { range, seen } = collect({ from: 0, above: 3 });
  const result = await (await openReader(wire, cluster)).readRange({ ...range, isShared: true });
  expect(result).toMatchObject({ position: 4, end: 'complete' });
  expect(result.detail).toMatch(/^offsets 1 to 2 cannot be read: WIRE_/u);
  expect(seen).toEqual(['0 a', '3 b']);
});

test('where nobody else writes, such a batch is not passed by', async () => {
  const cluster = await startFakeCluster();
  appendUnreadable(cluster);
  append(cluster, 'b');
  const { range, seen } = collect({ from: 0, above: 2, deadlineMs: 300 });
  const result = await (await openReader(wire, cluster)).readRange(range);
  expect(result).toMatchObject({ position: 0, end: 'timeout' });
  expect(result.detail).toMatch(/WIRE_/u);
  expect(seen).toEqual([]);
});

test('what the observer throws ends the read, and nothing is given twice', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a');
  append(cluster, 'b');
  const { range, seen } = collect({ from: 0, above: 1 });
  const onRecords = (given: readonly ReadRecord[]): void => {
    range.onRecords(given);
    if (seen.includes('1 b')) throw new Error('it is not written');
  };
  const reading = (await openReader(wire, cluster)).readRange({ ...range, onRecords });
  await expect(reading).rejects.toThrow('it is not written');
  expect(seen).toEqual(['0 a', '1 b']);
});

test('a control record is told as one', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a');
  appendMarker(cluster);
  const { range, records } = collect({ from: 0, above: 1 });
  await (await openReader(wire, cluster)).readRange(range);
  expect(records.map(({ control }) => control)).toEqual([false, true]);
});

test('a broker that gives the same records again and again is not asked for them without a pause', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a');
  cluster.hook = ({ api, body }) => {
    const position = api === 'Fetch' ? body.topics[0]?.partitions[0] : undefined;
    if (position !== undefined) Object.assign(position, { fetchOffset: 0 });
    return 'serve';
  };
  const { range, seen } = collect({ from: 0, above: 1, deadlineMs: 450 });
  expect(await (await openReader(wire, cluster)).readRange(range)).toMatchObject({ position: 1, end: 'timeout' });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.length).toBeLessThanOrEqual(6);
});

test('a fetch that is refused is tried again until it is served', async () => {
  const cluster = await startFakeCluster();
  append(cluster, 'a');
  let refusals = 0;
  cluster.hook = ({ api }) => (api === 'Fetch' && refusals++ < 2 ? { code: NOT_LEADER } : 'serve');
  const { range, seen } = collect({ from: 0, above: 0 });
  expect(await (await openReader(wire, cluster)).readRange(range)).toMatchObject({ position: 1, end: 'complete' });
  expect(seen).toEqual(['0 a']);
});
