import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { ByteCursor } from './bytes.ts';
import { DamageLog } from './damage.ts';
import { readFrames } from './frame-file.ts';
import { parseHeaderLine } from './header-line.ts';
import { type IntentRecord, readLedgerRow } from './ledger-rows.ts';
import { createLedger, type LedgerWriter, type SendOutcome } from './ledger-writer.ts';
import { readLedger } from './read-ledger.ts';
import { runOrder } from './run-order.ts';

let directory: string;
let ledger: LedgerWriter;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-ledger-'));
  ledger = createLedger(directory, { run: 'r', clock: systemClock, order: runOrder() });
});
afterEach(async () => {
  await ledger.close();
  rmSync(directory, { recursive: true, force: true });
});

const path = (): string => join(directory, 'ledger', 'harness.rows');
const { contract } = parseHeaderLine({ t: 'history', version: 1, run: 'r', contract: {}, topics: [] });

const write = (seq: number, count: number, outcome?: Partial<SendOutcome>, partition = 0): void => {
  const intent = ledger.intent({
    producer: 'p',
    incarnation: 0,
    topic: 'orders',
    partition,
    firstSeq: seq,
    count,
    at: seq,
  });
  if (outcome !== undefined)
    ledger.outcome(intent, { at: seq + 0.5, outcome: 'ok', attempts: 1, tainted: false, ...outcome });
};

const lines = async (): Promise<object[]> => {
  await ledger.close();
  const damage = new DamageLog();
  const read: object[] = [];
  readLedger(path(), { run: 'r', contract, emit: ({ line }) => read.push(line) }, damage);
  expect(damage.details).toEqual([]);
  return read;
};

const intents = (): IntentRecord[] => {
  const found: IntentRecord[] = [];
  for (const { payload } of readFrames(path(), () => undefined)) {
    for (const cursor = new ByteCursor(payload); !cursor.done; ) {
      const row = readLedgerRow(cursor);
      if (row.row === 'intent') found.push(row);
    }
  }
  return found;
};

describe('the ledger', () => {
  it('reads back as the lines of a history', async () => {
    write(0, 5, { baseOffset: 10, leaderEpoch: 3 });
    write(5, 5, { outcome: 'fail', code: 10 });
    write(10, 5);
    const run = { producer: 'p', incarnation: 0, topic: 'orders', partition: 0, count: 5 };
    expect(await lines()).toEqual([
      { t: 'send', at: 0, ...run, seq: 0 },
      { t: 'ack', at: 0.5, ...run, seq: 0, offset: 10, epoch: 3, attempts: 1, tainted: false },
      { t: 'send', at: 5, ...run, seq: 5 },
      { t: 'error', at: 5.5, ...run, seq: 5, code: 10, attempts: 1, tainted: false },
      { t: 'send', at: 10, ...run, seq: 10 },
    ]);
  });

  it('states the floor of each partition: the highest trusted offset acknowledged before', () => {
    write(0, 5, { baseOffset: 10 });
    write(5, 1, { baseOffset: 3 });
    write(6, 1, {});
    write(7, 1);
    write(0, 1, undefined, 1);
    expect(intents().map(({ floor }) => floor)).toEqual([undefined, 14, 14, 14, undefined]);
  });

  it('counts records by outcome; an open one is only sent', () => {
    write(0, 5, {});
    write(5, 4, { outcome: 'fail', code: 10 });
    write(9, 3, { outcome: 'unknown', reason: 'no answer' });
    write(12, 2);
    expect(ledger.counts).toEqual({ sent: 14, ok: 5, fail: 4, unknown: 3 });
  });

  it('never lets a code make an outcome firmer than the client said', async () => {
    write(0, 1, { outcome: 'unknown', code: 10 });
    write(1, 1, { outcome: 'unknown', notSent: true });
    write(2, 1, { outcome: 'unknown', code: 46 });
    write(3, 1, { outcome: 'unknown', code: 7 });
    const errors = (await lines()).filter((line) => 't' in line && line.t === 'error');
    expect(errors.map((line) => ('code' in line ? line.code : undefined))).toEqual([
      undefined,
      undefined,
      undefined,
      7,
    ]);
    expect(errors.some((line) => 'notSent' in line)).toBe(false);
  });

  it('puts outcomes into the file within a group commit, without a further intent', async () => {
    write(0, 1, {});
    const before = readFileSync(path()).length;
    await ledger.sync();
    expect(readFileSync(path()).length).toBeGreaterThan(before);
  });

  it('tells each reason once', async () => {
    const grow = async (reason: string): Promise<number> => {
      const before = ledger.bytesWritten;
      write(ledger.counts.sent, 1, { outcome: 'unknown', reason });
      await ledger.sync();
      return ledger.bytesWritten - before;
    };
    const first = await grow('the connection ended before the answer');
    expect(await grow('the connection ended before the answer')).toBeLessThan(first - 30);
  });

  it('may be closed twice', async () => {
    await ledger.close();
    await expect(ledger.close()).resolves.toBeUndefined();
  });
});
