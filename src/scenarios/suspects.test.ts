import { expect, test } from 'vitest';
import type { Finding } from '../ledger/judgement.ts';
import type { ObservedRecord } from '../ledger/replay-writer.ts';
import { disagreements, type SuspectReading, suspectIn, suspectsOf } from './suspects.ts';

const finding = {
  anomaly: 'lost-write',
  partition: 2,
  examples: [{ producer: 'p1', incarnation: 1, seq: 7, offset: 40 }, { producer: 'p1', seq: 8 }, { offset: 9 }],
} as unknown as Finding;
const suspects = suspectsOf([finding]);
const [seven, eight] = [...suspects.keys()] as [string, string];

const reading = (client: string, found: readonly string[], complete: readonly number[] = [2]): SuspectReading => ({
  client,
  found: new Set(found),
  complete: new Set(complete),
});

test('suspects are the records that the findings name', () => {
  expect([...suspects]).toEqual([
    ['p1/1 seq 7 of partition 2', 2],
    ['p1/0 seq 8 of partition 2', 2],
  ]);
});

test('a record is recognised by its identity, wherever it stands', () => {
  const record = {
    partition: 2,
    offset: 99,
    id: { producer: 'p1', incarnation: 1, seq: 7 },
  } as unknown as ObservedRecord;
  expect(suspectIn(suspects, record)).toBe(seven);
  expect(suspectIn(suspects, { ...record, partition: 1 })).toBeUndefined();
  expect(suspectIn(suspects, { ...record, id: undefined } as unknown as ObservedRecord)).toBeUndefined();
});

test('what only one client reads is about the clients', () => {
  expect(disagreements(suspects, [reading('kafkajs', [seven, eight]), reading('wire', [])])).toEqual([
    'p1/1 seq 7 of partition 2 (and 1 more) is read by kafkajs and not by wire',
  ]);
});

test('clients that agree, and one that did not come to the end, say nothing of each other', () => {
  expect(disagreements(suspects, [reading('kafkajs', [seven]), reading('wire', [seven])])).toEqual([]);
  expect(disagreements(suspects, [reading('kafkajs', []), reading('wire', [])])).toEqual([]);
  expect(disagreements(suspects, [reading('kafkajs', [seven]), reading('wire', [], [])])).toEqual([]);
});
