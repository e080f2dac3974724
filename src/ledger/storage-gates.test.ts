// Each gate on hand-made lines: what lets it pass, and each single thing that keeps it from passing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { STORAGE_ITEMS } from '../vocabulary.ts';
import { type StorageGate, storageGatesOf } from './storage-gates.ts';
import { type RequestRow, readStorageLines, type StorageFact, type StorageLine } from './storage-lines.ts';

const at = 1;
const quiet = { isDamaged: false, deletedOnPurpose: false };

const FACTS: readonly StorageFact[] = STORAGE_ITEMS.map((item) => ({ item, state: 'observed', detail: `its ${item}` }));
const named: StorageLine = { t: 'storage', at, facts: FACTS };

const listed = (when: 'before' | 'during' | 'after', objects: number, whole = true): StorageLine => ({
  t: 'inventory',
  at,
  when,
  prefixes: [{ prefix: 'data/', holds: 'data', objects, bytes: objects * 100 }],
  whole,
});

const index = (missing: readonly string[] = [], orphans = 0, objects = 7): StorageLine => ({
  t: 'index',
  at,
  objects,
  missing: { objects: missing.length, keys: [...missing] },
  orphans: { objects: orphans, bytes: orphans * 10, keys: [] },
});

const range = (result: 'as-named' | 'other' | 'failed' = 'as-named'): StorageLine => ({
  t: 'range-read',
  at,
  key: 'data/x',
  first: 0,
  last: 60,
  result,
  detail: 'as said',
});

const row = (change: Partial<RequestRow> = {}): RequestRow => ({
  path: 'data',
  operation: 'PutObject',
  status: 200,
  requests: 3,
  requestBytes: 300,
  responseBytes: 0,
  ...change,
});

const requests = (...rows: RequestRow[]): StorageLine => ({ t: 'requests', at, stage: 'load', rows });

const cold = (reads: number, coveredOffsets: number, uncoveredOffsets: number): StorageLine => ({
  t: 'cold-reads',
  at,
  reads,
  rangedReads: reads,
  bytes: reads * 1000,
  coveredOffsets,
  uncoveredOffsets,
});

const ALL = [named, listed('before', 1), listed('during', 4), listed('after', 8), index(), range(), requests(row())];

const gate = (name: StorageGate['gate'], lines: readonly StorageLine[], surroundings = quiet): StorageGate => {
  const found = storageGatesOf(lines, surroundings).find((each) => each.gate === name);
  if (found === undefined) throw new Error(`there is no gate ${name}`);
  return found;
};

const without = (kind: StorageLine['t'], ...instead: StorageLine[]): readonly StorageLine[] => [
  ...ALL.filter(({ t }) => t !== kind),
  ...instead,
];

describe('the storage gate', () => {
  test('passes where all is named, listed, held against the index and read', () => {
    const { state, cells } = gate('storage', ALL);
    expect(state).toBe('pass');
    expect(cells.map((cell) => cell.state)).toEqual([...Array<string>(7).fill('observed'), 'not observed', 'observed']);
    expect(cells[6]?.detail).toBe('8 objects of 800 bytes after the replay, +7 objects, +700 bytes; 1 look between');
  });

  test('tells the backlog where brokers tell it', () => {
    const looks = [300, 900, 20].map((backlogBytes) => ({ ...listed('during', 4), backlogBytes }) as StorageLine);
    expect(gate('storage', [...ALL, ...looks]).cells[6]?.detail).toMatch(
      /; 4 looks between; backlog 900 bytes at most, 20 bytes at the end$/,
    );
  });

  test('fails where an object that the index names is gone', () => {
    const { state, because } = gate('storage', without('index', index(['data/gone'])));
    expect(state).toBe('fail');
    expect(because).toContain('1 object missing, first data/gone');
  });

  test('says nothing of who lost it where a fault deletes objects', () => {
    const lines = without('index', index(['data/gone']));
    expect(gate('storage', lines, { ...quiet, deletedOnPurpose: true }).state).toBe('inconclusive');
  });

  test('passes with orphans, which are a cost and no loss, and tells them', () => {
    const { state, cells } = gate('storage', without('index', index([], 3)));
    expect([state, cells[7]?.detail]).toEqual([
      'pass',
      expect.stringContaining('3 objects of 30 bytes are named by nothing'),
    ]);
  });

  test.each([
    ['nothing is named', without('storage')],
    ['one item is not collected', without('storage', { t: 'storage', at, facts: FACTS.slice(1) })],
    ['there is no listing before', ALL.filter((line) => line.t !== 'inventory' || line.when !== 'before')],
    ['there is no listing after', ALL.filter((line) => line.t !== 'inventory' || line.when !== 'after')],
    ['a listing is cut off', [...ALL, listed('after', 8, false)]],
    ['the index was not asked', without('index')],
    ['the index names nothing', without('index', index([], 0, 0))],
    ['no range was read', without('range-read')],
    ['a range read failed', without('range-read', range('failed'))],
    ['a range is another than its name says', without('range-read', range('other'))],
  ])('is inconclusive where %s', (_, lines) => {
    expect(gate('storage', lines).state).toBe('inconclusive');
  });

  test('passes where the target has no index to be asked, and says so', () => {
    const gap: StorageLine = { t: 'storage-gap', at, what: 'index', state: 'not provided', because: 'it shows none' };
    const { state, cells } = gate('storage', without('index', gap));
    expect([state, cells[7]?.state]).toEqual(['pass', 'not provided']);
  });
});

describe('the cost gate', () => {
  test('passes where requests, bytes and recovery reads are counted, ackproof’s own apart', () => {
    const rows = [row(), row({ status: 503, requests: 2 }), row({ path: 'harness', requests: 1000 })];
    const read = row({ path: 'wal', operation: 'GetObject', requests: 4, requestBytes: 0, responseBytes: 40 });
    const { state, cells } = gate('cost', without('requests', requests(...rows, read)));
    expect(state).toBe('pass');
    expect(cells.map(({ detail }) => detail).slice(0, 3)).toEqual([
      '9 requests, 2 of them with a status ≥ 400',
      '600 bytes to it, 40 bytes from it',
      '4 reads of the write-ahead log, 40 bytes',
    ]);
    expect(cells.at(-1)).toMatchObject({ item: 'bytes between zones', state: 'not provided' });
  });

  test.each([
    ['nobody counted', without('requests')],
    ['only ackproof’s own were counted', without('requests', requests(row({ path: 'harness' })))],
    ['nobody listed', without('inventory')],
  ])('is inconclusive where %s', (_, lines) => {
    expect(gate('cost', lines)).toMatchObject({
      state: 'inconclusive',
      because: expect.stringMatching(/^a gap/) as string,
    });
  });
});

describe('the gate on cold replay', () => {
  test('is not there where no cold pass was asked for', () => {
    expect(storageGatesOf(ALL, quiet).map((each) => each.gate)).toEqual(['storage', 'cost']);
  });

  test('passes where brokers read the store and those reads hold every offset', () => {
    expect(gate('cold-replay', [...ALL, cold(5, 100, 0)]).state).toBe('pass');
  });

  test.each([
    ['nothing was read from the store', cold(0, 0, 100)],
    ['nothing was read, and nothing was to be read', cold(0, 0, 0)],
    ['some offsets came from elsewhere', cold(5, 99, 1)],
    ['reads were counted that hold none of them', cold(5, 0, 0)],
  ])('is inconclusive where %s', (_, line) => {
    expect(gate('cold-replay', [...ALL, line]).state).toBe('inconclusive');
  });

  test('is inconclusive where the pass could not be made', () => {
    const gap: StorageLine = {
      t: 'storage-gap',
      at,
      what: 'cold-reads',
      state: 'not collected',
      because: 'it is warm',
    };
    const { state, because } = gate('cold-replay', [...ALL, gap]);
    expect([state, because]).toEqual(['inconclusive', expect.stringContaining('it is warm')]);
  });

  // A log's active segment is copied nowhere: what is read of it says nothing about the store, and says so.
  test('passes beside what only brokers’ disks hold, and tells how much that is', () => {
    const { state, because } = gate('cold-replay', [...ALL, { ...cold(5, 100, 0), localOffsets: 7 } as StorageLine]);
    expect([state, because]).toEqual(['pass', expect.stringContaining('7 on the brokers’ own disks')]);
    const alone = gate('cold-replay', [...ALL, { ...cold(0, 0, 0), localOffsets: 7 } as StorageLine]);
    expect(alone.state).toBe('inconclusive');
  });
});

test('no gate passes on damaged files, and a failed one stays failed', () => {
  const damaged = { ...quiet, isDamaged: true };
  expect(storageGatesOf([...ALL, cold(5, 100, 0)], damaged).map(({ state }) => state)).toEqual(
    Array(3).fill('inconclusive'),
  );
  expect(gate('storage', without('index', index(['x'])), damaged).state).toBe('fail');
});

test('a run that looked at no store has no gates', () => {
  expect(storageGatesOf([], quiet)).toEqual([]);
});

describe('the lines of a timeline', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ackproof-storage-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  test('are read back as they were written; others, and malformed ones, prove nothing', () => {
    const others = [
      '{"t":"note","at":1}',
      'torn {',
      '{"t":"inventory","at":1}',
      '{"t":"requests","at":1,"stage":"x","rows":[]}',
    ];
    const text = [...ALL.map((line) => JSON.stringify({ order: 1, ...line })), ...others].join('\n');
    writeFileSync(join(directory, 'timeline.ndjson'), text);
    expect(readStorageLines(directory)).toEqual(ALL);
    expect(readStorageLines(join(directory, 'none'))).toEqual([]);
  });
});
