import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { exportedRun } from '../../test/support/exported-run.ts';
import { openPart, type PartFixture } from '../../test/support/part-fixture.ts';
import type { ClientDefinition, ReadRange, ReadRecord } from '../clients/client.ts';
import { judgeText } from '../ledger/judge.ts';
import { judgeRun } from '../ledger/judge-run.ts';
import type { Finding, Judgement } from '../ledger/judgement.ts';
import { RangeSet } from '../ledger/range-set.ts';
import { RecordEncoder } from '../ledger/record-identity.ts';
import type { ObservedRecord } from '../ledger/replay-writer.ts';
import { runPass } from './replay.ts';
import { rereadSuspects, wholePartitions } from './replay-passes.ts';
import type { RunContext } from './run-context.ts';
import { disagreements, isAmong, missText, type SuspectReading, suspectsOf } from './suspects.ts';

const record = (partition: number, offset: number, seq: number, incarnation = 1): ObservedRecord => ({
  topic: 't',
  partition,
  offset,
  id: { run: 'r', producer: 'p1', incarnation, partition, seq },
});

const finding = (more: object): Finding =>
  ({ anomaly: 'lost-write', partition: 2, ranges: [], ...more }) as unknown as Finding;

const reading = (client: string, found: readonly number[], complete: readonly number[] = [2]): SuspectReading => {
  const offsets = new RangeSet();
  for (const offset of found) offsets.add(offset, offset);
  return { client, found: new Map([[2, offsets]]), complete: new Set(complete) };
};

const told = (readings: readonly SuspectReading[]): string[] => disagreements(readings).map(missText);

describe('a suspect', () => {
  const examples = [{ producer: 'p1', incarnation: 1, seq: 7, offset: 40 }, { producer: 'p1', seq: 8 }, { offset: 9 }];
  const suspects = suspectsOf([finding({ count: 3, examples })]);

  it('is a record that a finding names, wherever it stands', () => {
    expect(isAmong(suspects, record(2, 99, 7))).toBe(true);
    expect(isAmong(suspects, record(2, 99, 8, 0))).toBe(true);
    expect(isAmong(suspects, record(2, 99, 7, 0))).toBe(false);
    expect(isAmong(suspects, record(1, 99, 7))).toBe(false);
    expect(isAmong(suspects, { topic: 't', partition: 2, offset: 99 })).toBe(false);
  });

  const amongOffsets = (count: number): number[] => {
    const ranges = [
      { first: 5, last: 6 },
      { first: 9, last: 9 },
    ];
    const many = suspectsOf([finding({ count, examples: [], ranges })]);
    return Array.from({ length: 12 }, (_, offset) => offset).filter((offset) => isAmong(many, record(2, offset, 1)));
  };

  it('is whatever stands in the ranges of a finding that has more records than it can name', () => {
    expect(amongOffsets(3)).toEqual([5, 6, 9]);
  });

  it('may stand between them where a finding has more ranges than it can name', () => {
    expect(amongOffsets(4)).toEqual([5, 6, 7, 8, 9]);
  });
});

test('what only one client reads is about the clients, whichever it is', () => {
  const found = [reading('kafkajs', [40, 41, 44]), reading('wire', [40])];
  expect(told(found)).toEqual(['offset 41 of partition 2 (and 1 more) is read by kafkajs and not by wire']);
  expect(disagreements([reading('kafkajs', []), reading('wire', [3])])).toEqual([
    { client: 'kafkajs', shownBy: 'wire', partition: 2, ranges: [{ first: 3, last: 3 }] },
  ]);
});

test('clients that agree, and one that did not come to the end, say nothing of each other', () => {
  expect(told([reading('kafkajs', [7]), reading('wire', [7])])).toEqual([]);
  expect(told([reading('kafkajs', []), reading('wire', [])])).toEqual([]);
  expect(told([reading('kafkajs', [7]), reading('wire', [], [])])).toEqual([]);
});

describe('a part that is read again', () => {
  const RECORDS = 10;
  let folder: string;
  let fixture: PartFixture;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ackproof-suspects-'));
    fixture = openPart(folder);
  });
  afterEach(async () => {
    await fixture.part.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const encoder = new RecordEncoder({ run: 'run-1', producer: 'p1', incarnation: 0, partition: 0, sizeBytes: 200 });
  const log = Array.from({ length: RECORDS }, (_, offset): ReadRecord => {
    const { key, value, headers } = encoder.encode(offset);
    return { offset, key, value, headers: new Map(Object.entries(headers)), control: false };
  });

  /** A client that lacks those offsets in its first reading of partition 0, in its second, and so on. */
  const client = (kind: string, ...readings: readonly (readonly number[])[]): ClientDefinition => {
    let next = 0;
    return {
      kind,
      summary: 'A model of a client.',
      retries: ['none'],
      openLane: async () => await Promise.reject(new Error('It only reads.')),
      openReader: async () =>
        await Promise.resolve({
          readRange: async (range: ReadRange) => {
            const { partition, from } = range;
            if (partition !== 0) return await Promise.resolve({ from, position: 0, end: 'complete' as const });
            const lacks = readings[next++] ?? [];
            range.onRecords(log.filter(({ offset }) => !lacks.includes(offset)));
            return await Promise.resolve({ from, position: RECORDS, end: 'complete' as const });
          },
          close: async () => await Promise.resolve(),
        }),
    };
  };

  const row = (partition: number, latest: number) => ({ topic: fixture.part.topic, partition, earliest: 0, latest });

  /** The judgement after `reader` has read everything once and both clients have read the suspects again. */
  const judged = async (reader: ClientDefinition, other: ClientDefinition): Promise<Judgement> => {
    const { part } = fixture;
    for (const partition of [0, 1]) part.tell({ t: 'offsets', when: 'baseline', ...row(partition, 0) });
    for (let seq = 0; seq < RECORDS; seq++) {
      const run = { producer: 'p1', incarnation: 0, topic: part.topic, partition: 0, firstSeq: seq, count: 1 };
      const handle = part.ledger.intent({ ...run, at: part.at() });
      part.ledger.outcome(handle, { at: part.at(), outcome: 'ok', baseOffset: seq, attempts: 1, tainted: false });
    }
    await part.ledger.close();
    const offsets = [row(0, RECORDS), row(1, 0)].map((each) => ({ ...each, at: 0, latestCommitted: 0, topicId: 'id' }));
    const reach = { isThere: () => Promise.resolve(true), patienceMs: () => Promise.resolve(1000) };
    const input = { part, offsets, sentinels: new Map<number, number>(), reach };
    const { signal } = new AbortController();
    const ranges = wholePartitions(input);
    await runPass(part, { name: 'full', client: reader, bootstrap: [], ranges, deadlineMs: 1000 }, signal);
    part.seal();
    const { findings } = (await judgeRun(folder)).judgement;
    const context = {
      clock: { sleep: () => Promise.resolve() },
      interruption: { replay: signal },
      listener: () => undefined,
      scenario: { replay: { suspectsAfterMs: 0 } },
      secondReaders: [reader, other].sort((one, two) => (one.kind < two.kind ? -1 : 1)),
      target: { bootstrap: [] },
      passDeadlineMs: 1000,
    } as unknown as RunContext;
    expect(await rereadSuspects(context, input, findings)).toBe(true);
    part.seal();
    const { judgement } = await judgeRun(folder);
    expect(judgeText(await exportedRun(folder))).toEqual(judgement);
    return judgement;
  };

  const summary = ({ verdict, findings, inconclusiveBecause }: Judgement) => ({
    verdict,
    found: findings.map(({ anomaly }) => anomaly),
    because: inconclusiveBecause.filter((reason) => reason.startsWith('client-anomaly')),
  });

  it.each([
    ['kafkajs', 'wire'],
    ['wire', 'kafkajs'],
  ])('is inconclusive where %s never reads a record that %s reads', async (blind, sighted) => {
    const judgement = await judged(client(blind, [6, 7], [6, 7]), client(sighted));
    expect(summary(judgement)).toEqual({
      verdict: 'inconclusive',
      found: [],
      because: [`client-anomaly: offset 6 of partition 0 (and 1 more) is read by ${sighted} and not by ${blind}`],
    });
  });

  it('is inconclusive however many records it is, in however many places', async () => {
    const odd = log.map(({ offset }) => offset).filter((offset) => offset % 2 === 1);
    expect(summary(await judged(client('kafkajs', odd, odd), client('wire')))).toMatchObject({
      verdict: 'inconclusive',
      found: [],
    });
  });

  it('fails where neither reads it', async () => {
    expect(summary(await judged(client('kafkajs', [7], [7]), client('wire', [7])))).toMatchObject({
      verdict: 'fail',
      found: ['lost-write', 'offset-gap'],
      because: [],
    });
  });

  it('fails where both read it later', async () => {
    expect(summary(await judged(client('kafkajs', [7]), client('wire')))).toMatchObject({
      verdict: 'fail',
      found: ['offset-gap', 'stale-read'],
      because: [],
    });
  });

  it('fails where the client that missed it reads it later, and tells that the other one does not', async () => {
    expect(summary(await judged(client('kafkajs', [7]), client('wire', [7])))).toEqual({
      verdict: 'fail',
      found: ['offset-gap', 'stale-read'],
      because: ['client-anomaly: offset 7 of partition 0 is read by kafkajs and not by wire'],
    });
  });

  it('fails where another record is lost beside it', async () => {
    expect(summary(await judged(client('kafkajs', [3, 7], [3, 7]), client('wire', [3])))).toMatchObject({
      verdict: 'fail',
      found: ['lost-write', 'offset-gap'],
      because: [expect.stringContaining('offset 7')],
    });
  });
});
