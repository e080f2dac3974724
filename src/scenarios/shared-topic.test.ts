import { expect, test } from 'vitest';
import type { PartitionOffsets } from './cluster-eye.ts';
import type { Part } from './part.ts';
import { assertKeptLongEnough, beginAt, tellRemoved } from './shared-topic.ts';

const load = { warmUpMs: 1000, durationMs: 60_000 };
const offsets = (partition: number, earliest: number, latest: number): PartitionOffsets => ({
  topic: 'orders',
  partition,
  at: 0,
  earliest,
  latest,
  latestCommitted: latest,
  topicId: 'x',
});
const aPart = (): { readonly part: Part; readonly told: unknown[] } => {
  const told: unknown[] = [];
  const part = { topic: 'orders', partitions: [0, 1], begins: new Map(), tell: (line: unknown) => told.push(line) };
  return { part: part as unknown as Part, told };
};

test('a topic that keeps records for ever or long enough is used, a short one is refused with both times', () => {
  expect(() => assertKeptLongEnough('orders', {}, load)).not.toThrow();
  expect(() => assertKeptLongEnough('orders', { 'retention.ms': '-1' }, load)).not.toThrow();
  expect(() => assertKeptLongEnough('orders', { 'retention.ms': '361000' }, load)).not.toThrow();
  expect(() => assertKeptLongEnough('orders', { 'retention.ms': '60000' }, load)).toThrow(
    'orders keeps records for 60s, and this run may take 6.02m until it has read them.',
  );
});

test('a part begins where each partition ends, and a partition of which that is not known ends the run', () => {
  const { part } = aPart();
  beginAt(part, [offsets(0, 5, 90), offsets(1, 0, 7)]);
  expect([...part.begins]).toEqual([
    [0, 90],
    [1, 7],
  ]);
  expect(() => beginAt(aPart().part, [offsets(1, 0, 7)])).toThrow('not known of partition 0');
});

test('old records may go; that records of the run itself may have gone makes it inconclusive, with the offsets', () => {
  const { part, told } = aPart();
  beginAt(part, [offsets(0, 5, 90), offsets(1, 0, 7)]);
  tellRemoved(part, [offsets(0, 90, 200), offsets(1, 8, 30)]);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ t: 'harness', anomaly: 'insufficient-samples' });
  expect(JSON.stringify(told[0])).toMatch(/partition 1 now begins at 8, and the run began at 7/);
});
