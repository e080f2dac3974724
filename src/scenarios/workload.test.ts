import { expect, test } from 'vitest';
import type { ClientDefinition, LaneOptions, LaneResult } from '../clients/client.ts';
import type { Clock } from '../clock.ts';
import type { IntentHandle, LedgerWriter, SendIntent, SendOutcome } from '../ledger/ledger-writer.ts';
import { RecordEncoder } from '../ledger/record-identity.ts';
import { CAUTIOUS_PROFILE } from '../outcomes.ts';
import { type LanePlan, startWorkload } from './workload.ts';

/** A clock that jumps to the end of each sleep. */
const jumpingClock = (): Clock => {
  let now = 0;
  return {
    now: () => now,
    wall: () => now,
    sleep: (ms, signal) => {
      signal?.throwIfAborted();
      now += ms;
      return Promise.resolve();
    },
  };
};

interface Story {
  readonly lines: string[];
  readonly ledger: LedgerWriter;
  readonly client: ClientDefinition;
}

/** A client that answers from `results` in turn, and a ledger that writes everything into one list of lines. */
const story = (results: readonly (LaneResult | Error)[]): Story => {
  const lines: string[] = [];
  let turn = 0;
  const ledger: LedgerWriter = {
    intent: (row: SendIntent) => {
      const place = row.partition === 0 ? '' : ` in ${row.partition}`;
      lines.push(`intent ${row.producer}#${row.incarnation} ${row.firstSeq}+${row.count}${place}`);
      return {} as IntentHandle;
    },
    outcome: (_: IntentHandle, row: SendOutcome) => lines.push(`outcome ${row.outcome}`),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
    counts: { sent: 0, ok: 0, fail: 0, unknown: 0 },
    bytesWritten: 0,
  };
  const client: ClientDefinition = {
    kind: 'fake',
    summary: 'Answers as it was told.',
    retries: ['none'],
    openLane: (options: LaneOptions) => {
      lines.push(`open ${options.clientId.split('-').at(-1) ?? ''}`);
      return Promise.resolve({
        send: (records) => {
          lines.push(`send ${records.length}`);
          const result = results[turn++] ?? { outcome: 'ok', attempts: 1, tainted: false, baseOffset: turn };
          return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
        },
        close: () => {
          lines.push('close');
          return Promise.resolve();
        },
      });
    },
    openReader: () => Promise.reject(new Error('not read here')),
  };
  return { lines, ledger, client };
};

const run = async (
  told: Story,
  records: number,
  anomalies: string[] = [],
  changed: Partial<LanePlan> = {},
): Promise<readonly string[]> => {
  const clock = jumpingClock();
  const lane: LanePlan = {
    producer: 'p1',
    partition: 0,
    batch: 2,
    intervalMs: 0,
    firstAtMs: 0,
    bootstrap: [],
    client: told.client,
    retry: 'none',
    idempotence: false,
    attemptTimeoutMs: 100,
    ...changed,
  };
  const load = startWorkload({
    runId: 'r',
    topic: 't',
    acks: 'all',
    deliveryTimeoutMs: 1000,
    profile: CAUTIOUS_PROFILE,
    lanes: [lane],
    ledger: told.ledger,
    clock,
    at: () => clock.now(),
    encoderOf: (_, incarnation) =>
      new RecordEncoder({ run: 'r', producer: 'p1', incarnation, partition: 0, sizeBytes: 200 }),
    recordsPerLane: records,
    onClientAnomaly: (detail) => anomalies.push(detail),
  });
  await load.finished;
  await load.stop();
  return told.lines;
};

const ok: LaneResult = { outcome: 'ok', attempts: 1, tainted: false, baseOffset: 0 };
const unknown: LaneResult = { outcome: 'unknown', attempts: 1, tainted: true, reason: 'lost' };

test('an intent is written before its batch is sent, and its outcome after', async () => {
  expect(await run(story([ok, ok]), 4)).toEqual([
    'open 0',
    'intent p1#0 0+2',
    'send 2',
    'outcome ok',
    'intent p1#0 2+2',
    'send 2',
    'outcome ok',
    'close',
  ]);
});

test('after an unknown outcome the lane is closed and its next incarnation starts at sequence 0', async () => {
  expect(await run(story([unknown, ok]), 4)).toEqual([
    'open 0',
    'intent p1#0 0+2',
    'send 2',
    'outcome unknown',
    'close',
    'open 1',
    'intent p1#1 0+2',
    'send 2',
    'outcome ok',
    'close',
  ]);
});

test('a client that throws makes the batch unknown and is named as an anomaly', async () => {
  const anomalies: string[] = [];
  const lines = await run(story([new Error('boom'), ok]), 4, anomalies);
  expect(lines.filter((line) => line.startsWith('outcome'))).toEqual(['outcome unknown', 'outcome ok']);
  expect(anomalies).toEqual(['p1/0 seq 0: the client threw: boom']);
});

test('a lane never sends more than it was told to', async () => {
  const lines = await run(story([]), 5);
  expect(lines.filter((line) => line.startsWith('intent'))).toEqual([
    'intent p1#0 0+2',
    'intent p1#0 2+2',
    'intent p1#0 4+1',
  ]);
});

test('a call for two partitions has an intent and an outcome for each, and one that is unknown ends both', async () => {
  const told = story([]);
  const splits = { ...told.client, openSplitLane: () => Promise.resolve(splitLane) };
  const calls: number[][] = [];
  const splitLane = {
    send: (batches: readonly (readonly unknown[])[]) => {
      calls.push(batches.map((records) => records.length));
      return Promise.resolve(calls.length === 1 ? [ok, unknown] : [ok, ok]);
    },
    close: () => Promise.resolve(),
  };
  expect(await run(told, 4, [], { splitWith: 3, client: splits })).toEqual([
    'intent p1#0 0+2',
    'intent p1#0 0+2 in 3',
    'outcome ok',
    'outcome unknown',
    'intent p1#1 0+2',
    'intent p1#1 0+2 in 3',
    'outcome ok',
    'outcome ok',
  ]);
  expect(calls).toEqual([
    [2, 2],
    [2, 2],
  ]);
});
