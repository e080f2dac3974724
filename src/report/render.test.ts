// From files to a report: a run directory written by the same writers that a run uses, read back and rendered.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXAMPLE_CONTRACT } from '../../test/support/example-contract.ts';
import { exampleRecord } from '../../test/support/example-record.ts';
import type { Clock } from '../clock.ts';
import { InputError, UsageError } from '../errors.ts';
import { judgeRun } from '../ledger/judge-run.ts';
import { createLedger } from '../ledger/ledger-writer.ts';
import { createReplay } from '../ledger/replay-writer.ts';
import { runOrder } from '../ledger/run-order.ts';
import type { RunRecord } from '../ledger/run-record.ts';
import { createTimeline } from '../ledger/timeline-writer.ts';
import { buildModel } from './build-model.ts';
import { renderReport, writeReports } from './render.ts';

const RUN = '2026-11-29T16-04-11Z-tiny-7f3a';
const TOPIC = `ackproof-${RUN}-main-orders`;
const record = (change: Partial<RunRecord> = {}): RunRecord =>
  exampleRecord({ runId: RUN, because: `100 acked records all read back: ${TOPIC}/0`, ...change });

const part: RunRecord['parts'][number] = {
  part: 'main',
  directory: '.',
  topic: TOPIC,
  partitions: 1,
  phases: [{ phase: 'steady', from: 0, to: 4000 }],
  faults: [
    {
      id: 'process-kill-1',
      fault: 'process-kill',
      victims: ['broker/1'],
      chosen: `the leader of ${TOPIC}/0`,
      state: 'healed',
      appliedAt: 1000,
      confirmedAt: 1100,
      healingAt: 2000,
      healedAt: 2100,
      require: 'all',
      confirmed: true,
      evidence: [],
      exposure: [],
    },
  ],
  passes: [{ pass: 'full', client: 'wire', records: 100, ms: 300 }],
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-report-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const writeRecord = (value: unknown): void => writeFileSync(join(directory, 'run.json'), JSON.stringify(value));

/** A clock of which only the wall is read; each pass begins five seconds after the part. */
const clockAt = (wallMs: number): Clock => ({ now: () => 0, wall: () => wallMs, sleep: () => Promise.resolve() });

/** Ten records every 100 ms for four seconds, none acknowledged from 1000 to 2500 ms, one request never answered. */
const writeFiles = async (): Promise<void> => {
  const header = {
    t: 'history',
    version: 1,
    run: RUN,
    contract: EXAMPLE_CONTRACT,
    topics: [{ topic: TOPIC, partitions: 1 }],
  };
  writeFileSync(join(directory, 'contract.json'), JSON.stringify(header));
  const order = runOrder();
  const ledger = createLedger(directory, { run: RUN, clock: clockAt(1_000_000), order });
  const timeline = createTimeline(directory, order);
  for (let at = 0; at < 4000; at += 100) {
    const away = at >= 1000 && at < 2500;
    const handle = ledger.intent({
      producer: 'p1',
      incarnation: 0,
      topic: TOPIC,
      partition: 0,
      firstSeq: at / 10,
      count: 10,
      at,
    });
    if (away) {
      if (at > 1000)
        ledger.outcome(handle, {
          at: at + 10,
          outcome: 'fail',
          attempts: 1,
          tainted: false,
          code: 5,
          notSent: true,
          reason: 'x',
        });
    } else ledger.outcome(handle, { at: at + 20, outcome: 'ok', baseOffset: at / 10, attempts: 1, tainted: false });
  }
  timeline.write({ t: 'fault', at: 950, id: 'process-kill-1', fault: 'process-kill', edge: 'intent', victims: [1] });
  timeline.write({ t: 'fault', at: 1000, id: 'process-kill-1', fault: 'process-kill', edge: 'applied', victims: [1] });
  timeline.write({ t: 'fault', at: 2100, id: 'process-kill-1', fault: 'process-kill', edge: 'healed', victims: [1] });
  timeline.write({ t: 'leader', at: 5, topic: TOPIC, partition: 0, leader: 1, epoch: 1 });
  timeline.write({ t: 'leader', at: 6, topic: TOPIC, partition: 0, leader: 1, epoch: 1 });
  timeline.write({ t: 'leader', at: 1900, topic: TOPIC, partition: 0, leader: 2, epoch: 2 });
  timeline.write({ t: 'evidence', at: 900, id: 'process-kill-1', kind: 'effect', holds: true, seen: 'too early' });
  timeline.write({ t: 'evidence', at: 1050, id: 'process-kill-1', kind: 'effect', holds: false, seen: 'not yet' });
  timeline.write({ t: 'evidence', at: 1100, id: 'process-kill-1', kind: 'effect', holds: true, seen: 'refused' });
  timeline.write({ t: 'evidence', at: 1200, id: 'process-kill-1', kind: 'effect', holds: true, seen: 'refused again' });
  await ledger.close();
  await timeline.close();
  const replay = createReplay(directory, { run: RUN, clock: clockAt(1_005_000), pass: 'full', position: 0 });
  await replay.close();
};

describe('the model of a run directory', () => {
  test('tells the load, the outage, the window, leadership, evidence and the pass from the run’s own files', async () => {
    await writeFiles();
    const result = await judgeRun(directory, { bounds: {}, ended: 'complete' });
    writeRecord(record({ parts: [{ ...part, result }] }));
    const [main] = (await buildModel(directory)).parts;
    const buckets = main?.load?.buckets ?? [];
    expect(buckets.reduce((sum, { acked }) => sum + acked, 0)).toBe(250);
    expect(buckets.reduce((sum, { unknown }) => sum + unknown, 0)).toBe(10);
    expect(main?.outages).toEqual([
      {
        topic: 'orders',
        partition: 0,
        faultId: 'process-kill-1',
        from: 920,
        to: 2520,
        ms: 1600,
        recoveredAfterMs: 1520,
        afterAppliedMs: 1520,
        afterHealedMs: 420,
      },
    ]);
    expect(main?.faults[0]).toMatchObject({ intentAt: 950, ackedInWindow: 0, attemptedInWindow: 110 });
    expect(main?.faults[0]?.marks).toEqual([{ at: 1100, kind: 'effect', holds: true, seen: 'refused' }]);
    expect(main?.leaders.map(({ leader, epoch }) => [leader, epoch])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(main?.passes[0]).toMatchObject({ from: 5000, to: 5300 });
  });

  test('names topics as the scenario does, and keeps the real name where it is asked for', async () => {
    await writeFiles();
    const broken = { verdict: undefined, because: `the leader of ${TOPIC}/0 is away`, ended: 'error' };
    writeRecord({ ...record({ parts: [part] }), ...broken });
    const model = await buildModel(directory);
    expect(model.headline).toBe('ERROR the leader of orders/0 is away');
    expect(model.parts[0]?.faults[0]?.chosen).toBe('the leader of orders/0');
    expect(model.parts[0]?.topic).toBe(TOPIC);
  });

  test('is there although the run left no ledger', async () => {
    writeRecord(record({ parts: [part] }));
    expect((await buildModel(directory)).parts[0]).not.toHaveProperty('load');
  });

  test('of a run that was killed is no pass and says why', async () => {
    const never = { verdict: undefined, because: undefined, exitCode: undefined };
    writeRecord({ ...record({ ended: 'running' }), ...never });
    expect((await buildModel(directory)).headline).toMatch(/^ERROR the run did not end in order/);
  });

  test('cuts texts of a megabyte', async () => {
    writeRecord({ ...record({ because: 'x'.repeat(1_000_000), ended: 'error' }), verdict: undefined });
    const { headline } = await buildModel(directory);
    expect(headline).toMatch(/^ERROR xxx/);
    expect(headline.length).toBeLessThan(2100);
  });
});

describe('rendering', () => {
  test('refuses a run of a newer version with a sentence', async () => {
    writeRecord({ ...record(), formatVersion: 2 });
    const rendering = renderReport(directory, 'terminal', {});
    await expect(rendering).rejects.toThrow(InputError);
    await expect(rendering).rejects.toThrow(/format 2; this version of ackproof reads up to 1\./);
  });

  test.each([
    ['there is none', undefined],
    ['it is not JSON', '{'],
    ['it is a list', '[]'],
    ['it lacks what a report needs', '{"formatVersion":1}'],
  ])('refuses a directory whose run.json cannot be used: %s', async (_why, text) => {
    if (text !== undefined) writeFileSync(join(directory, 'run.json'), text);
    await expect(renderReport(directory, 'json', {})).rejects.toMatchObject({ code: 'NOT_A_RUN', kind: 'input' });
  });

  test.each([
    ['a part without a folder', { part: 'main' }],
    ['a part whose folder is not of this run', { part: 'main', directory: '../other' }],
    ['a part without lists', { part: 'control', directory: 'control', topic: 't' }],
    ['no part', 7],
    ['a phase that is a word', { ...record().parts[0], phases: ['__proto__'] }],
    ['a fault without evidence', { ...record().parts[0], faults: [{ id: 'a', fault: 'process-kill' }] }],
  ])('refuses a run.json with %s', async (_what, part) => {
    writeRecord({ ...record(), parts: [part] as unknown as RunRecord['parts'] });
    await expect(renderReport(directory, 'json', {})).rejects.toMatchObject({ code: 'NOT_A_RUN', kind: 'input' });
  });

  test('refuses a format that is not there, naming the nearest', async () => {
    writeRecord(record());
    const rendering = renderReport(directory, 'junt', {});
    await expect(rendering).rejects.toThrow(UsageError);
    await expect(rendering).rejects.toMatchObject({ hint: expect.stringContaining('Did you mean "junit"?') as string });
  });

  test('writes each format once under its own name, in the order asked for', async () => {
    writeRecord(record());
    const paths = await writeReports(directory, ['markdown', 'html', 'json', 'junit', 'html']);
    expect(paths).toEqual(
      ['report.md', 'report.html', 'report.json', 'junit.xml'].map((name) => join(directory, name)),
    );
    for (const path of paths) expect(readFileSync(path, 'utf8')).not.toBe('');
  });

  test('writes nothing when one of the formats is unknown', async () => {
    writeRecord(record());
    await expect(writeReports(directory, ['html', 'sarif'])).rejects.toThrow(UsageError);
    expect(existsSync(join(directory, 'report.html'))).toBe(false);
  });

  test('says what to do when a report cannot be written', async () => {
    writeRecord(record());
    mkdirSync(join(directory, 'report.html'));
    await expect(writeReports(directory, ['html'])).rejects.toMatchObject({
      code: 'REPORT_NOT_WRITTEN',
      kind: 'environment',
    });
  });
});
