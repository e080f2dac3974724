import { expect, test } from 'vitest';
import type { Part } from './part.ts';
import type { PassOutcome } from './replay.ts';
import { tellShortfall, wholePartitions } from './replay-passes.ts';

const row = (partition: number, earliest: number, latest: number) => ({
  topic: 't',
  partition,
  at: 0,
  earliest,
  latest,
  latestCommitted: latest,
  topicId: 'id',
});

const input = (rows: readonly ReturnType<typeof row>[], sentinels: readonly (readonly [number, number])[]) => ({
  part: { partitions: [0] } as unknown as Part,
  offsets: rows,
  sentinels: new Map(sentinels),
});

test('a pass reads from the earliest offset past the sentinel and the last known end', () => {
  expect(wholePartitions(input([row(0, 3, 40)], [[0, 41]]))).toEqual([
    { partition: 0, from: 3, above: 41, sentinel: true, reachedEnd: 'complete' },
  ]);
  // The sentinel was acknowledged below what the log already held: an offset of an acknowledgement is never the only measure.
  expect(wholePartitions(input([row(0, 3, 60)], [[0, 41]]))[0]?.above).toBe(59);
});

test('without a sentinel the last known end is the goal', () => {
  expect(wholePartitions(input([row(0, 0, 40)], []))[0]).toMatchObject({ above: 39, sentinel: false });
});

test('a partition of which no end is known cannot be read to it', () => {
  expect(wholePartitions(input([], []))[0]).toMatchObject({ from: 0, above: Number.POSITIVE_INFINITY });
});

test('an empty partition is complete at once', () => {
  expect(wholePartitions(input([row(0, 0, 0)], []))[0]?.above).toBe(-1);
});

test('a pass that did not come to the end of each partition makes the run prove less', () => {
  const details: string[] = [];
  const part = { tell: ({ detail }: { detail: string }) => details.push(detail) } as unknown as Part;
  const range = (partition: number, end: PassOutcome['ranges'][number]['end']) => ({
    partition,
    from: 0,
    position: 7,
    end,
  });
  const ranges = [range(0, 'complete'), range(1, 'timeout'), range(2, 'out-of-range')];
  tellShortfall(part, { name: 'cold', records: 0, ms: 1, ranges });
  expect(details).toEqual([
    'the pass "cold" ended at offset 7 of partition 1, before the end (timeout)',
    'the pass "cold" ended at offset 7 of partition 2, before the end (out-of-range)',
  ]);
});
