import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportedRun } from '../../test/support/exported-run.ts';
import { systemClock } from '../clock.ts';
import { judgeText } from './judge.ts';
import { judgeRun } from './judge-run.ts';
import type { Judgement } from './judgement.ts';
import { createLedger, type LedgerWriter } from './ledger-writer.ts';
import { createReplay, type ReplayWriter } from './replay-writer.ts';
import { runOrder } from './run-order.ts';
import { createTimeline } from './timeline-writer.ts';

const RUN = 'r-1';
const CONTRACT = {
  t: 'history',
  version: 1,
  run: RUN,
  contract: {
    acks: 'all',
    idempotence: false,
    transactions: false,
    minInSyncReplicas: 2,
    boundary: 'replicated',
    deliveryTimeoutMs: 30_000,
    uncleanLeaderElection: false,
    uniqueKeys: false,
    deleteRecords: false,
    laggingReads: false,
    survives: [],
    profile: 'apache-kafka',
    allow: [],
    forbid: [],
  },
  topics: [{ topic: 'orders', partitions: 1, replicationFactor: 3, exclusive: true }],
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-run-'));
  writeFileSync(join(directory, 'contract.json'), JSON.stringify(CONTRACT));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const place = { topic: 'orders', partition: 0 };
const send = (ledger: LedgerWriter, at: number, firstSeq: number, count: number) =>
  ledger.intent({ producer: 'p1', incarnation: 0, ...place, firstSeq, count, at });
const ok = (at: number, baseOffset: number) =>
  ({ at, outcome: 'ok', baseOffset, attempts: 1, tainted: false }) as const;

const show = (replay: ReplayWriter, offset: number, seq: number): void =>
  replay.observe({ ...place, offset, id: { run: RUN, producer: 'p1', incarnation: 0, partition: 0, seq }, epoch: 1 });

interface Story {
  /** Sequences, which are their offsets too, that the pass does not return. */
  readonly missing?: readonly number[];
  readonly closeLedger?: boolean;
  readonly closeReplay?: boolean;
  readonly fault?: readonly string[];
}

/** Two stretches of one pass: records 0 to 19, records 20 to 39 and the sentinel. */
const writeReplay = async (missing: readonly number[], close: boolean): Promise<void> => {
  const replay = createReplay(directory, { run: RUN, clock: systemClock, pass: 'full', position: 0 });
  for (let offset = 0; offset < 40; offset++) {
    if (offset === 20) replay.range({ ...place, from: 0, position: 20, end: 'range' });
    if (!missing.includes(offset)) show(replay, offset, offset);
  }
  replay.observe({ ...place, offset: 40, sentinel: true });
  replay.range({ ...place, from: 20, position: 41, end: 'complete' });
  if (close) await replay.close();
};

/** Forty records in eight batches, the last of unknown outcome; a sentinel at 40; one pass. */
const writeRun = async ({ missing = [], closeLedger = true, closeReplay = true, fault = [] }: Story = {}) => {
  const order = runOrder();
  const ledger = createLedger(directory, { run: RUN, clock: systemClock, order });
  const timeline = createTimeline(directory, order);
  timeline.write({ t: 'phase', at: 0, phase: 'steady' });
  timeline.write({ t: 'offsets', at: 0, when: 'baseline', ...place, earliest: 0, latest: 0 });
  for (let batch = 0; batch < 8; batch++) {
    const handle = send(ledger, 10 * batch, 5 * batch, 5);
    if (batch < 7) ledger.outcome(handle, ok(10 * batch + 5, 5 * batch));
    else ledger.outcome(handle, { at: 75, outcome: 'unknown', attempts: 1, tainted: true, code: 7, reason: 'late' });
  }
  fault.forEach((edge, index) => {
    timeline.write({ t: 'fault', at: 100 + index, fault: 'process-kill', id: 'kill-1', edge: edge as 'applied' });
  });
  timeline.write({ t: 'offsets', at: 200, when: 'after-producers', ...place, earliest: 0, latest: 40 });
  timeline.write({ t: 'sentinel', at: 210, ...place, offset: 40 });
  if (closeLedger) await ledger.close();
  else await ledger.sync();
  await writeReplay(missing, closeReplay);
  await timeline.close();
};

/** The judgement of the run directory, which must be that of its export to the byte. */
const judged = async (): Promise<Judgement> => {
  const { judgement } = await judgeRun(directory);
  expect(JSON.stringify(judgeText(await exportedRun(directory)))).toBe(JSON.stringify(judgement));
  return judgement;
};

const found = ({ findings }: Judgement): string[] => findings.map(({ anomaly, count }) => `${anomaly} ${count}`);
const ledgerFile = (): string => join(directory, 'ledger', 'harness.rows');
const replayFile = (): string => join(directory, 'replay', '000.rows');

describe('a run directory', () => {
  it('passes when every acknowledged record is read back, and says what was proved', async () => {
    await writeRun();
    const judgement = await judged();
    expect(judgement.verdict).toBe('pass');
    expect(judgement.because).toBe('35 acked records all read back in 1 pass; 5 unknown outcomes');
    expect(found(judgement)).toEqual(['recovered 5']);
    expect(judgement.examined).toEqual({ sent: 40, ok: 35, fail: 0, unknown: 5, read: 41, passes: 1, partitions: 1 });
  });

  it('gives the same bytes every time it is judged', async () => {
    await writeRun({ missing: [7, 8] });
    expect(JSON.stringify(await judgeRun(directory))).toBe(JSON.stringify(await judgeRun(directory)));
  });

  it('fails on a lost record, naming offsets and the fault that was near', async () => {
    await writeRun({ missing: [32, 33], fault: ['intent', 'applied', 'confirmed', 'healing', 'healed'] });
    const judgement = await judged();
    expect(judgement.verdict).toBe('fail');
    expect(judgement.because).toBe(
      '2 acked records missing: orders/0 offsets 32-33, acked at 0.065 s, 36 ms before process-kill',
    );
    expect(judgement.findings[0]?.duringFaults).toEqual(['kill-1']);
    expect(judgement.findings[0]?.neighbours?.map(({ offset }) => offset)).toContain(31);
  });

  it('is inconclusive without the ledger’s close row, and calls no record a phantom', async () => {
    await writeRun({ closeLedger: false });
    const before = readFileSync(ledgerFile());
    truncateSync(ledgerFile(), before.length - 60);
    const judgement = await judged();
    expect(judgement.verdict).toBe('inconclusive');
    expect(found(judgement)).not.toContain('phantom 5');
    expect(judgement.inconclusiveBecause.join()).toContain('close row is missing');
  });

  it('still fails on a proven loss when the ledger has a torn tail', async () => {
    await writeRun({ missing: [3], closeLedger: false });
    appendFileSync(ledgerFile(), Buffer.from([0x46, 0x52, 0x4d, 0x31, 9]));
    const judgement = await judged();
    expect(judgement.verdict).toBe('fail');
    expect(found(judgement)).toContain('lost-write 1');
  });

  it('never passes, fails or throws at whatever length a crash cuts the ledger', async () => {
    await writeRun();
    const whole = readFileSync(ledgerFile());
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(ledgerFile(), whole.subarray(0, length));
      expect((await judgeRun(directory)).judgement.verdict).toBe('inconclusive');
    }
  });

  it('never passes, fails or throws at whatever length a crash cuts the replay', async () => {
    await writeRun();
    const whole = readFileSync(replayFile());
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(replayFile(), whole.subarray(0, length));
      expect((await judgeRun(directory)).judgement.verdict).toBe('inconclusive');
    }
  });

  it('never passes or fails with one byte changed anywhere in the ledger or the replay', async () => {
    await writeRun();
    for (const path of [ledgerFile(), replayFile()]) {
      const whole = readFileSync(path);
      for (let at = 16; at < whole.length; at += 5) {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] as number) ^ 0x41;
        writeFileSync(path, damaged);
        const { judgement } = await judgeRun(directory);
        expect(`${at} ${judgement.verdict}`).toBe(`${at} inconclusive`);
        expect(judgement.inconclusiveBecause.join()).toContain('ledger-damaged');
      }
      writeFileSync(path, whole);
    }
  });

  it('loses nothing to a damaged replay but sight: what stood in a lost frame is unseen', async () => {
    await writeRun();
    const bytes = readFileSync(replayFile());
    const first = bytes.indexOf('FRM1');
    bytes[first + 20] = (bytes[first + 20] as number) ^ 1;
    writeFileSync(replayFile(), bytes);
    const judgement = await judged();
    expect(judgement.verdict).toBe('inconclusive');
    expect(found(judgement)).toContain('unseen 35');
    expect(judgement.findings.every(({ severity }) => severity !== 'violation')).toBe(true);
  });

  it('refuses a file of a newer format with a sentence', async () => {
    await writeRun();
    const bytes = readFileSync(ledgerFile());
    bytes.writeUInt32LE(2, 8);
    writeFileSync(ledgerFile(), bytes);
    await expect(judgeRun(directory)).rejects.toThrow('has format 2; this ackproof reads up to format 1');
  });

  it('refuses a directory that is no run, and a contract that makes no sense', async () => {
    await expect(judgeRun(join(directory, 'nothing'))).rejects.toThrow('is not a run directory');
    writeFileSync(join(directory, 'contract.json'), JSON.stringify({ ...CONTRACT, contract: { ackz: 1 } }));
    await expect(judgeRun(directory)).rejects.toThrow('has no field "ackz"');
  });

  it('does not pass while a fault was not seen healed', async () => {
    await writeRun({ fault: ['intent', 'applied', 'confirmed'] });
    const judgement = await judged();
    expect(judgement.verdict).toBe('inconclusive');
    expect(judgement.because).toContain('fault kill-1 was not seen healed');
  });

  it('tells a cut or senseless timeline line and does not pass', async () => {
    await writeRun();
    appendFileSync(join(directory, 'timeline.ndjson'), '{"order":99,"t":"sentinel","at":1}\n{"order":100,"t":"lea');
    const judgement = await judged();
    expect(judgement.verdict).toBe('inconclusive');
    expect(judgement.inconclusiveBecause).toHaveLength(3);
  });

  it('keeps the ledger’s promise: an intent is in the file when the call returns', async () => {
    const ledger = createLedger(directory, { run: RUN, clock: systemClock, order: runOrder() });
    for (let batch = 0; batch < 3; batch++) {
      const before = readFileSync(ledgerFile()).length;
      send(ledger, batch, batch, 1);
      expect(readFileSync(ledgerFile()).length).toBeGreaterThan(before);
    }
    expect(ledger.counts).toEqual({ sent: 3, ok: 0, fail: 0, unknown: 0 });
    await ledger.close();
  });

  it('does not write over a run that is there', async () => {
    await writeRun();
    expect(() => createLedger(directory, { run: RUN, clock: systemClock, order: runOrder() })).toThrow('Cannot create');
    expect(readdirSync(join(directory, 'ledger'))).toEqual(['harness.rows']);
  });
});
