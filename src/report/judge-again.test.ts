// What a report says when run.json and the files of the run do not say the same: run directories written by the writers of a
// run, judged, and then changed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordOf, writeRun } from '../../test/report/written-run.ts';
import type { RunResult } from '../ledger/judgement.ts';
import { judgeAgain } from './judge-again.ts';
import { renderReport } from './render.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-again-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

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
    const result = await writeRun(directory, 10);
    const record = recordOf(result);
    expect(await headline(record)).toBe('PASS 10 acked records all read back in 1 pass');
    expect((await judgeAgain(directory, record)).parts[0]?.result).toEqual(result);
  });

  // Red before: it passed.
  test('is no pass where the journal of its faults is gone', async () => {
    const record = recordOf(await writeRun(directory, 10));
    const faults = [{ id: 'kill-1' }] as unknown as (typeof record.parts)[number]['faults'];
    const again = await judgeAgain(directory, { ...record, parts: record.parts.map((part) => ({ ...part, faults })) });
    expect([again.verdict, again.because]).toEqual([
      'inconclusive',
      'ledger-damaged: journal.ndjson is missing, though faults were performed',
    ]);
  });

  test('keeps the words that the run put before the reason', async () => {
    const record = recordOf(await writeRun(directory, 9));
    expect(await headline({ ...record, because: `without any fault: ${record.because}` })).toMatch(
      /^FAIL without any fault: 1 acked record missing/u,
    );
  });

  test('takes no other reason than that of the files', async () => {
    const record = recordOf(await writeRun(directory, 9));
    expect(await headline({ ...record, because: 'a trifle' })).toMatch(/^FAIL 1 acked record missing/u);
  });

  test('fails where the files do, whatever run.json says', async () => {
    const result = await writeRun(directory, 9);
    const told = await headline(recordOf(as(result, 'pass')));
    expect(told).toMatch(
      /^FAIL run\.json says "pass" of the main part, but its files say "fail": 1 acked record missing/u,
    );
  });

  test('fails where only the verdict of run.json was changed', async () => {
    const record = recordOf(await writeRun(directory, 9));
    expect(await headline({ ...record, verdict: 'pass' })).toMatch(
      /^FAIL run\.json says "pass", but the files of the run say "fail"/u,
    );
  });

  test('is no pass where only the files pass', async () => {
    const result = await writeRun(directory, 10);
    expect(await headline(recordOf(as(result, 'fail')))).toMatch(
      /^INCONCLUSIVE run\.json says "fail" of the main part, but its files say "pass"/u,
    );
    expect(await headline({ ...recordOf(result), verdict: 'fail' })).toMatch(/^INCONCLUSIVE run\.json says "fail"/u);
  });

  test('is no pass where run.json hides a finding under the same verdict', async () => {
    const result = await writeRun(directory, 8);
    const hidden = { ...result, judgement: { ...result.judgement, findings: [] } };
    expect(await headline(recordOf(hidden))).toMatch(/^FAIL run\.json and the files .* different reasons for "fail"/u);
  });

  test('is no pass without the files, or without a judged part', async () => {
    const record = recordOf(await writeRun(directory, 10));
    expect(await headline({ ...record, parts: [] })).toMatch(/^INCONCLUSIVE run\.json says "pass", but no part/u);
    rmSync(join(directory, 'contract.json'));
    expect(await headline(record)).toMatch(/^INCONCLUSIVE the files of the main part cannot be judged again/u);
  });

  test('of a run without a verdict stays one', async () => {
    const record = recordOf(await writeRun(directory, 10));
    const never = { ...record, verdict: undefined, because: 'the disk is full', ended: 'error' };
    expect(await headline(never)).toBe('ERROR the disk is full');
  });
});
