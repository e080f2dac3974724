import { expect, test } from 'vitest';
import type { ReadRange, ReadResult } from '../clients/client.ts';
import type { DestroyedObject } from '../faults/fault.ts';
import type { ObservedRange } from '../ledger/replay-writer.ts';
import { holesOf, readDestroyed } from './destroyed.ts';
import type { FaultStory } from './fault-story.ts';
import type { Part } from './part.ts';
import type { Extent } from './replay-passes.ts';
import type { RunContext } from './run-context.ts';

const LATEST = 100;

const object = (baseOffset: number, endOffset: number, more: Partial<DestroyedObject> = {}): DestroyedObject => ({
  key: `data/${baseOffset}`,
  topicId: 'id',
  partition: 0,
  baseOffset,
  endOffset,
  ...more,
});

const storyOf = (destroyed: readonly DestroyedObject[], confirmed = true): Pick<FaultStory, 'outcome'> => ({
  outcome: { id: 'object-loss-1', confirmed, healed: 'nothing-to-heal', victims: [], chosen: '', destroyed },
});

const offsets = [
  { topic: 't', partition: 0, at: 0, earliest: 0, latest: LATEST, latestCommitted: LATEST, topicId: 'id' },
];

interface World {
  /** Offsets that the cluster refuses, at the n-th question after the first. */
  readonly isRefused: (offset: number, asked: number) => boolean;
  readonly inStore?: readonly string[];
  readonly storeIsAway?: boolean;
}

/** The ranges of the pass `destroyed` that are written down in such a world. */
const writtenIn = async (world: World, destroyed: readonly DestroyedObject[]): Promise<readonly unknown[]> => {
  const written: (ObservedRange & { pass: string })[] = [];
  let asked = 0;
  const readRange = (range: ReadRange): Promise<ReadResult> => {
    asked++;
    let position = range.from;
    while (position <= range.above && position < LATEST && !world.isRefused(position, asked)) {
      const record = { offset: position++, key: null, value: null, headers: new Map<string, Buffer>(), control: false };
      range.onRecords([record]);
    }
    const end = position > range.above ? range.reachedEnd : 'timeout';
    return Promise.resolve({ from: range.from, position, end });
  };
  const part = {
    topic: 't',
    runId: 'r',
    partitions: [0],
    begins: new Map(),
    passes: [],
    at: () => 0,
    tell: () => undefined,
    openPass: (pass: string) => ({
      observe: () => undefined,
      range: (range: ObservedRange) => written.push({ pass, ...range }),
      close: () => Promise.resolve(),
      records: 0,
    }),
  } as unknown as Part;
  const listed = () =>
    world.storeIsAway === true
      ? Promise.reject(new Error('away'))
      : Promise.resolve((world.inStore ?? []).map((key) => ({ key, bytes: 1 })));
  const objectStore = { dataPrefix: 'data/', list: listed, get: () => Promise.resolve(undefined) };
  const wire = { kind: 'wire', openReader: () => Promise.resolve({ readRange, close: () => Promise.resolve() }) };
  const context = {
    wire,
    target: { bootstrap: [], can: { objectStore } },
    interruption: { replay: new AbortController().signal },
    passDeadlineMs: 1000,
  } as unknown as RunContext;
  const input: Extent = { part, offsets, sentinels: new Map() };
  await readDestroyed(context, input, [storyOf(destroyed)], 'destroyed');
  return written.filter(({ pass }) => pass === 'destroyed').map(({ from, position, end }) => [from, position, end]);
};

const inside = (from: number, end: number) => (offset: number) => offset >= from && offset < end;

test('only what confirmed faults destroyed of this topic counts, and neighbours are one hole', () => {
  const other = object(0, 9, { topicId: 'another' });
  expect(holesOf([storyOf([object(20, 30), object(10, 20), other])], offsets)).toEqual([
    { partition: 0, from: 10, end: 30, keys: ['data/10', 'data/20'] },
  ]);
  expect(holesOf([storyOf([object(10, 20)], false)], offsets)).toEqual([]);
});

test('a stretch that is refused for good while what follows is served is covered, with nothing in it', async () => {
  expect(await writtenIn({ isRefused: inside(10, 20) }, [object(10, 20)])).toEqual([[10, 20, 'range']]);
});

test('what a cache or the log still had is no part of it', async () => {
  expect(await writtenIn({ isRefused: inside(14, 20) }, [object(10, 20)])).toEqual([[14, 20, 'range']]);
  expect(await writtenIn({ isRefused: () => false }, [object(10, 20)])).toEqual([]);
});

test('two holes of a partition are told one by one', async () => {
  const isRefused = (offset: number): boolean => inside(10, 20)(offset) || inside(40, 50)(offset);
  expect(await writtenIn({ isRefused }, [object(40, 50), object(10, 20)])).toEqual([
    [10, 20, 'range'],
    [40, 50, 'range'],
  ]);
});

test('nothing is said of a cluster that refuses what follows as well: it is ill, or its store is away', async () => {
  expect(await writtenIn({ isRefused: () => true }, [object(10, 20)])).toEqual([]);
});

test('nothing is said of a refusal that passes', async () => {
  const isRefused = (offset: number, asked: number): boolean => asked < 3 && inside(10, 20)(offset);
  expect(await writtenIn({ isRefused }, [object(10, 20)])).toEqual([]);
});

test('nothing is said while the object is there, or the store does not answer', async () => {
  const isRefused = inside(10, 20);
  expect(await writtenIn({ isRefused, inStore: ['data/10'] }, [object(10, 20)])).toEqual([]);
  expect(await writtenIn({ isRefused, storeIsAway: true }, [object(10, 20)])).toEqual([]);
});
