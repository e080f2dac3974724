// The end of a `run` of several scenarios: one document, the worst drill first.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { renderSummary, SUMMARY_FORMATS } from '../../src/report/render-summary.ts';
import type { DrillEnding } from '../../src/report/summary.ts';
import { recordOf, writeRun } from './written-run.ts';

let directory: string;
let endings: readonly DrillEnding[];

const written = async (name: string, read: number): Promise<string> => {
  const runDirectory = join(directory, name);
  mkdirSync(runDirectory);
  const record = recordOf(await writeRun(runDirectory, read));
  writeFileSync(join(runDirectory, 'run.json'), JSON.stringify({ ...record, scenario: { ...record.scenario, name } }));
  return runDirectory;
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-summary-'));
  endings = [
    { scenario: 'quiet', exitCode: 0, runDirectory: await written('quiet', 10) },
    { scenario: 'loss', exitCode: 1, runDirectory: await written('loss', 9) },
    { scenario: 'broken', exitCode: 69, trouble: 'PORT_IN_USE — <the> port\u001b[31m is taken.' },
  ];
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const LOSS = '1 acked record missing: orders/0 offset 9, acked at 0.002 s';

describe('the summary of several drills', () => {
  test('says the worst drill, its reason, and how many passed, in the first line of every format', async () => {
    const first = `FAIL loss: ${LOSS}; 1 of 3 drills passed`;
    expect((await renderSummary(endings, 'terminal')).split('\n')[0]).toBe(first);
    expect((await renderSummary(endings, 'markdown')).split('\n')[0]?.replaceAll('\\', '')).toBe(`# ${first}`);
    expect((await renderSummary(endings, 'junit')).split('\n')[0]).toContain(`<testsuites name="${first}"`);
    expect(Object.entries(JSON.parse(await renderSummary(endings, 'json')) as object)[0]).toEqual(['headline', first]);
  });

  test('is a pass only where every drill passed', async () => {
    expect((await renderSummary(endings.slice(0, 1), 'terminal')).split('\n')[0]).toBe('PASS 1 of 1 drills passed');
    const broken = await renderSummary(
      [endings[0], endings[2]].flatMap((one) => one ?? []),
      'terminal',
    );
    expect(broken).toMatch(/^ERROR broken: PORT_IN_USE .*; 1 of 2 drills passed\n/u);
    expect(await renderSummary([], 'terminal')).toMatch(/^ERROR no drill was run\n/u);
  });

  test('a drill that was not run because the one before was stopped is no error', async () => {
    const stopped = { scenario: 'later', exitCode: 130, trouble: 'not run: the run was stopped before' };
    const summary = await renderSummary([...endings.slice(0, 1), stopped], 'terminal');
    expect(summary).toMatch(/^INTERRUPTED later: not run: .*; 1 of 2 drills passed\n/u);
  });

  test('names each drill in the order it was run, with its run directory', async () => {
    const lines = (await renderSummary(endings, 'terminal')).trimEnd().split('\n').slice(2);
    expect(lines.map((line) => line.trim())).toEqual([
      'PASS          quiet: 10 acked records all read back in 1 pass',
      join(directory, 'quiet'),
      `FAIL          loss: ${LOSS}`,
      join(directory, 'loss'),
      String.raw`ERROR         broken: PORT_IN_USE — <the> port\u001b[31m is taken.`,
    ]);
  });

  test('is one JSON document with the whole report of each drill', async () => {
    const { runs } = JSON.parse(await renderSummary(endings, 'json')) as {
      runs: readonly {
        scenario: string;
        exitCode: number;
        headline: string;
        report?: { scenario: { name: string } };
      }[];
    };
    expect(runs.map(({ scenario, exitCode, report }) => [scenario, exitCode, report?.scenario.name])).toEqual([
      ['quiet', 0, 'quiet'],
      ['loss', 1, 'loss'],
      ['broken', 69, undefined],
    ]);
  });

  test('is one JUnit file with a suite for each drill, whose counts add up', async () => {
    const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });
    const { testsuites } = parser.parse(await renderSummary(endings, 'junit'), true) as {
      testsuites: { tests: string; failures: string; errors: string; testsuite: Record<string, string>[] };
    };
    expect(testsuites.testsuite.map(({ name }) => name)).toEqual(['quiet', 'loss', 'broken']);
    for (const count of ['tests', 'failures', 'errors'] as const) {
      const sum = testsuites.testsuite.reduce((total, suite) => total + Number(suite[count]), 0);
      expect(Number(testsuites[count])).toBe(sum);
    }
    expect(testsuites.testsuite.map(({ failures, errors }) => [Number(failures) > 0, Number(errors) > 0])).toEqual([
      [false, false],
      [true, false],
      [false, true],
    ]);
  });

  test('is a table in Markdown that no text of a run can break', async () => {
    const rows = (await renderSummary(endings, 'markdown')).split('\n').filter((line) => line.startsWith('| '));
    expect(rows.map((row) => row.split(' | ').length)).toEqual([5, 5, 5, 5, 5]);
    expect(rows.at(-1)).toContain('&lt;the&gt;');
  });

  test('refuses a format it does not have', async () => {
    expect(SUMMARY_FORMATS).toEqual(['json', 'junit', 'markdown', 'terminal']);
    await expect(renderSummary(endings, 'html')).rejects.toThrow(UsageError);
  });
});
