import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import type { ClientDefinition, LaneOptions, LaneResult, RecordToSend } from '../clients/client.ts';
import { parseRecord } from '../ledger/record-identity.ts';
import { CAUTIOUS_PROFILE } from '../outcomes.ts';
import type { Part } from './part.ts';
import { awaitSentinelsShown, writeSentinels } from './settle.ts';

const never = new AbortController().signal;

interface Told {
  readonly clock: VirtualClock;
  readonly part: Part;
  readonly lines: Readonly<Record<string, unknown>>[];
}

const onePartition = (): Told => {
  const clock = new VirtualClock();
  const lines: Readonly<Record<string, unknown>>[] = [];
  const tell = (line: Readonly<Record<string, unknown>>): void => {
    if (line['t'] !== 'note') lines.push(line);
  };
  const part = { runId: 'r', topic: 't', partitions: [0], at: () => clock.now(), tell } as unknown as Part;
  return { clock, part, lines };
};

/** A client that answers its lanes from `results` in turn, then for ever with the last; what it was given is kept. */
const client = (results: readonly LaneResult[], sent: { options: LaneOptions; records: readonly RecordToSend[] }[]) => {
  let turn = 0;
  const definition: ClientDefinition = {
    kind: 'fake',
    summary: 'Answers as it was told.',
    retries: ['none'],
    openLane: (options) =>
      Promise.resolve({
        send: (records) => {
          sent.push({ options, records });
          return Promise.resolve(results[Math.min(turn++, results.length - 1)] as LaneResult);
        },
        close: () => Promise.resolve(),
      }),
    openReader: () => Promise.reject(new Error('not read here')),
  };
  return definition;
};

const write = async (told: Told, results: readonly LaneResult[], signal = never) => {
  const sent: { options: LaneOptions; records: readonly RecordToSend[] }[] = [];
  const work = writeSentinels({
    part: told.part,
    clock: told.clock,
    client: client(results, sent),
    bootstrap: [],
    profile: CAUTIOUS_PROFILE,
    recordBytes: 256,
    attemptTimeoutMs: 100,
    deadlineMs: 1000,
    signal,
  });
  return { offsets: await told.clock.run(work), sent };
};

const acked = (baseOffset: number): LaneResult => ({ outcome: 'ok', attempts: 1, tainted: false, baseOffset });
const lost: LaneResult = { outcome: 'unknown', attempts: 1, tainted: true, reason: 'lost' };

test('the sentinel is one record with acks=all from a producer of its own, told with its offset', async () => {
  const told = onePartition();
  const { offsets, sent } = await write(told, [acked(41)]);
  expect([...offsets]).toEqual([[0, 41]]);
  expect(told.lines).toEqual([{ t: 'sentinel', topic: 't', partition: 0, offset: 41 }]);
  const [first] = sent;
  const record = first?.records[0];
  expect(first?.options).toMatchObject({ acks: 'all', retry: 'none' });
  const parsed = parseRecord(
    record?.key ?? null,
    record?.value ?? null,
    new Map(Object.entries(record?.headers ?? {})),
  );
  expect(parsed?.kind).toBe('sentinel');
});

test('a sentinel that was not acknowledged is written again by another incarnation', async () => {
  const told = onePartition();
  const { offsets, sent } = await write(told, [lost, { outcome: 'ok', attempts: 1, tainted: false }, acked(7)]);
  expect([...offsets]).toEqual([[0, 7]]);
  expect(new Set(sent.map(({ options }) => options.clientId)).size).toBe(3);
});

test('a partition without a sentinel in time makes the run prove less', async () => {
  const told = onePartition();
  const { offsets } = await write(told, [lost]);
  expect(offsets.size).toBe(0);
  expect(told.lines).toMatchObject([{ t: 'harness', anomaly: 'no-progress' }]);
});

const shown = async (told: Told, ends: readonly number[], signal = never): Promise<void> => {
  let turn = 0;
  const offsets = () => {
    const latestCommitted = ends[Math.min(turn++, ends.length - 1)] ?? 0;
    const row = { topic: 't', partition: 0, at: 0, earliest: 0, latest: 99, latestCommitted, topicId: '' };
    return Promise.resolve({ taken: [row], missing: [] });
  };
  const sentinels = new Map([[0, 41]]);
  const { part, clock } = told;
  const options = { part, eye: { offsets }, clock, sentinels, deadlineMs: 1000, signal };
  await clock.run(awaitSentinelsShown(options));
};

test('the replay waits until the log shows the sentinel', async () => {
  const told = onePartition();
  await shown(told, [41, 41, 42]);
  expect([told.lines, told.clock.now()]).toEqual([[], 200]);
});

test('a log that keeps its sentinel to itself is told, and waited for no longer than the deadline', async () => {
  const told = onePartition();
  await shown(told, [41]);
  expect(told.clock.now()).toBe(1000);
  expect(told.lines).toEqual([
    {
      t: 'harness',
      anomaly: 'stuck-consumer',
      detail: 'partition 0 does not show its record at offset 41 within 1000 ms: its end is 41',
    },
  ]);
});

test('a cluster is not accused of what a run that was stopped did not wait for', async () => {
  const stopped = AbortSignal.abort(new Error('SIGINT'));
  const told = onePartition();
  await write(told, [lost], stopped);
  await shown(told, [41], stopped);
  expect(told.clock.now()).toBe(0);
  expect(told.lines).toMatchObject([
    {
      anomaly: 'insufficient-samples',
      detail: 'no sentinel was acknowledged in partition 0 before the run was stopped',
    },
    { anomaly: 'insufficient-samples', detail: expect.stringContaining('the run was stopped') as string },
  ]);
});
