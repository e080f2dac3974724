// What a report says when run.json and the files of the run do not say the same: run directories written by the writers of a
// run, judged, and then changed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { judgeRun } from '../ledger/judge-run.ts';
import type { RunResult } from '../ledger/judgement.ts';
import { createLedger } from '../ledger/ledger-writer.ts';
import { createReplay } from '../ledger/replay-writer.ts';
import { runOrder } from '../ledger/run-order.ts';
import type { RunRecord } from '../ledger/run-record.ts';
import { createTimeline } from '../ledger/timeline-writer.ts';
import { judgeAgain } from './judge-again.ts';
import { renderReport } from './render.ts';

const topic = 'orders';
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-again-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Ten records acknowledged; the pass reads the first `read` of them and comes to the end. */
const writeRun = async (read: number): Promise<RunResult> => {
  const header = { t: 'history', version: 1, run: 'r', contract: { minInSyncReplicas: 2 } };
  writeFileSync(
    join(directory, 'contract.json'),
    JSON.stringify({ ...header, topics: [{ topic, partitions: 1, replicationFactor: 3 }] }),
  );
  const order = runOrder();
  const ledger = createLedger(directory, { run: 'r', clock: systemClock, order });
  const timeline = createTimeline(directory, order);
  const lane = { producer: 'p1', incarnation: 0, topic, partition: 0 };
  const handle = ledger.intent({ ...lane, firstSeq: 0, count: 10, at: 1 });
  ledger.outcome(handle, { at: 2, outcome: 'ok', baseOffset: 0, attempts: 1, tainted: false });
  await ledger.close();
  await timeline.close();
  const replay = createReplay(directory, { run: 'r', clock: systemClock, pass: 'full', position: 0 });
  for (let offset = 0; offset < read; offset++) {
    const id = { run: 'r', producer: 'p1', incarnation: 0, partition: 0, seq: offset };
    replay.observe({ topic, partition: 0, offset, id, checksumOk: true, sentinel: false, control: false });
  }
  replay.range({ topic, partition: 0, from: 0, position: 10, end: 'complete' });
  await replay.close();
  return await judgeRun(directory);
};

const recordOf = (result: RunResult): RunRecord => ({
  formatVersion: 1,
  tool: { name: 'ackproof', version: '0.1.0' },
  runId: 'r',
  scenario: { name: 'tiny', claim: 'It holds.', file: 'tiny.yaml', digest: '00' },
  target: { kind: 'embedded', name: 'embedded', fingerprint: {} },
  contract: {
    acks: 'all',
    idempotence: false,
    transactions: false,
    minInSyncReplicas: 2,
    boundary: 'wal',
    deliveryTimeoutMs: 30_000,
    uncleanLeaderElection: false,
    uniqueKeys: true,
    deleteRecords: false,
    laggingReads: false,
    survives: [],
    profile: 'embedded',
    allow: [],
    forbid: [],
  },
  bounds: {},
  workload: {},
  defects: [],
  baseline: false,
  seed: 7,
  environment: {},
  wallStart: '2026-11-29T16:04:11.000Z',
  parts: [{ part: 'main', directory: '.', topic, partitions: 1, phases: [], faults: [], passes: [], result }],
  ended: 'complete',
  errors: [],
  heal: 'clean',
  verdict: result.judgement.verdict,
  because: result.judgement.because,
  exitCode: 0,
  reproduce: { run: 'ackproof run tiny.yaml', judge: 'ackproof judge run' },
});

const headline = async (record: unknown): Promise<string> => {
  writeFileSync(join(directory, 'run.json'), JSON.stringify(record));
  return (await renderReport(directory, 'terminal', {})).split('\n')[0] ?? '';
};

const as = (result: RunResult, verdict: 'pass' | 'fail'): RunResult => ({
  ...result,
  judgement: { ...result.judgement, verdict, findings: [], because: 'all is well' },
});

describe('a report', () => {
  test('says what run.json says where the files say the same', async () => {
    const result = await writeRun(10);
    const record = recordOf(result);
    expect(await headline(record)).toBe('PASS 10 acked records all read back in 1 pass');
    expect((await judgeAgain(directory, record)).parts[0]?.result).toEqual(result);
  });

  test('keeps the words that the run put before the reason', async () => {
    const record = recordOf(await writeRun(9));
    expect(await headline({ ...record, because: `without any fault: ${record.because}` })).toMatch(
      /^FAIL without any fault: 1 acked record missing/u,
    );
  });

  test('takes no other reason than that of the files', async () => {
    const record = recordOf(await writeRun(9));
    expect(await headline({ ...record, because: 'a trifle' })).toMatch(/^FAIL 1 acked record missing/u);
  });

  test('fails where the files do, whatever run.json says', async () => {
    const result = await writeRun(9);
    const told = await headline(recordOf(as(result, 'pass')));
    expect(told).toMatch(
      /^FAIL run\.json says "pass" of the main part, but its files say "fail": 1 acked record missing/u,
    );
  });

  test('fails where only the verdict of run.json was changed', async () => {
    const record = recordOf(await writeRun(9));
    expect(await headline({ ...record, verdict: 'pass' })).toMatch(
      /^FAIL run\.json says "pass", but the files of the run say "fail"/u,
    );
  });

  test('is no pass where only the files pass', async () => {
    const result = await writeRun(10);
    expect(await headline(recordOf(as(result, 'fail')))).toMatch(
      /^INCONCLUSIVE run\.json says "fail" of the main part, but its files say "pass"/u,
    );
    expect(await headline({ ...recordOf(result), verdict: 'fail' })).toMatch(/^INCONCLUSIVE run\.json says "fail"/u);
  });

  test('is no pass where run.json hides a finding under the same verdict', async () => {
    const result = await writeRun(8);
    const hidden = { ...result, judgement: { ...result.judgement, findings: [] } };
    expect(await headline(recordOf(hidden))).toMatch(/^FAIL run\.json and the files .* different reasons for "fail"/u);
  });

  test('is no pass without the files, or without a judged part', async () => {
    const record = recordOf(await writeRun(10));
    expect(await headline({ ...record, parts: [] })).toMatch(/^INCONCLUSIVE run\.json says "pass", but no part/u);
    rmSync(join(directory, 'contract.json'));
    expect(await headline(record)).toMatch(/^INCONCLUSIVE the files of the main part cannot be judged again/u);
  });

  test('of a run without a verdict stays one', async () => {
    const record = recordOf(await writeRun(10));
    const never = { ...record, verdict: undefined, because: 'the disk is full', ended: 'error' };
    expect(await headline(never)).toBe('ERROR the disk is full');
  });
});
