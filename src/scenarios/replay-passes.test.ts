import { expect, test } from 'vitest';
import type { Finding } from '../ledger/judgement.ts';
import type { Part } from './part.ts';
import type { PassOutcome } from './replay.ts';
import { rereadSuspects, tellShortfall, wholePartitions } from './replay-passes.ts';
import type { RunContext } from './run-context.ts';

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
  part: { partitions: [0], begins: new Map() } as unknown as Part,
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

test('in a topic that others use too a pass begins where the part did, or where the log begins by now', () => {
  const shared = (begin: number) => {
    const part = { partitions: [0], begins: new Map([[0, begin]]) } as unknown as Part;
    return wholePartitions({ ...input([row(0, 30, 90)], [[0, 85]]), part })[0]?.from;
  };
  expect(shared(50)).toBe(50);
  expect(shared(20)).toBe(30);
});

test('without a sentinel the last known end is the goal', () => {
  expect(wholePartitions(input([row(0, 0, 40)], []))[0]).toMatchObject({ above: 39, sentinel: false });
});

test('a partition of which no end is known cannot be read to it', () => {
  expect(wholePartitions(input([], []))[0]).toMatchObject({ from: 0, above: Number.POSITIVE_INFINITY });
});

test('a partition with holes is read around them, and never completely', () => {
  const holes = [
    { partition: 0, from: 10, end: 20 },
    { partition: 0, from: 30, end: 35 },
    { partition: 1, from: 5, end: 6 },
  ];
  expect(wholePartitions({ ...input([row(0, 3, 40)], [[0, 41]]), holes })).toEqual([
    { partition: 0, from: 3, above: 9, sentinel: false, reachedEnd: 'range' },
    { partition: 0, from: 20, above: 29, sentinel: false, reachedEnd: 'range' },
    { partition: 0, from: 35, above: 41, sentinel: true, reachedEnd: 'range' },
  ]);
  const atTheStart = [{ partition: 0, from: 3, end: 20 }];
  expect(wholePartitions({ ...input([row(0, 3, 40)], []), holes: atTheStart })).toEqual([
    { partition: 0, from: 20, above: 39, sentinel: false, reachedEnd: 'range' },
  ]);
});

test('an empty partition is complete at once', () => {
  expect(wholePartitions(input([row(0, 0, 0)], []))[0]?.above).toBe(-1);
});

type Range = PassOutcome['ranges'][number];

/** What is told of a pass over partition 1, of which the log told the offsets 3 to 39. */
const told = (end: Range['end'], position: number, idleMs: number): readonly string[] => {
  const lines: string[] = [];
  const part = {
    tell: ({ anomaly, detail }: { anomaly: string; detail: string }) => lines.push(`${anomaly}: ${detail}`),
  } as unknown as Part;
  const ranges = [{ partition: 1, from: 3, position, end, idleMs }];
  tellShortfall(part, { name: 'cold', records: 0, ms: 1, ranges }, [row(1, 3, 40)]);
  return lines;
};

test('a pass that came to the end is not told of', () => {
  expect(told('complete', 40, 9000)).toEqual([]);
});

test.each([
  ['was still being given records', 'timeout', 7, 100, 'insufficient-samples', '(timeout)'],
  ['was given nothing short of the end', 'timeout', 7, 9000, 'stuck-consumer', '(timeout, nothing for 9s)'],
  ['waited at the end for what is not there', 'timeout', 40, 9000, 'insufficient-samples', '(timeout)'],
  ['was refused an offset that the log has', 'out-of-range', 7, 1, 'out-of-range-reset', '(out-of-range)'],
  ['asked for an offset below the log', 'out-of-range', 2, 1, 'insufficient-samples', '(out-of-range)'],
  ['asked for an offset above the log', 'out-of-range', 50, 1, 'insufficient-samples', '(out-of-range)'],
] as const)('a pass that %s makes the run prove less, by its name', (_, end, position, idleMs, anomaly, why) => {
  expect(told(end, position, idleMs)).toEqual([
    `${anomaly}: the pass "cold" ended at offset ${position} of partition 1, before the end ${why}`,
  ]);
});

test('nothing is read a second time from a cluster that refuses every connection, and that is told', async () => {
  const notes: unknown[] = [];
  const context = {
    interruption: { replay: new AbortController().signal },
    listener: (event: unknown) => notes.push(event),
  } as unknown as RunContext;
  const reach = { isThere: () => Promise.resolve(false), patienceMs: () => Promise.resolve(1000) };
  const unseen = { anomaly: 'unseen', partition: 0, examples: [] } as unknown as Finding;
  expect(await rereadSuspects(context, { ...input([row(0, 0, 40)], []), reach }, [unseen])).toBe(false);
  expect(notes).toEqual([
    {
      kind: 'note',
      text: expect.stringMatching(/nothing is read again: the cluster refuses every connection$/) as string,
    },
  ]);
});
