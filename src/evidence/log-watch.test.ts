import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patternsFor } from './log-patterns.ts';
import { isNotable, type LogCoverage, type LogLine, watchLogs } from './log-watch.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-logs-'));
  file = join(directory, 'broker-1.log');
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** What is told of a file that `write` adds to while it is followed. */
const toldOf = async (write: () => void, limit = 200): Promise<readonly LogLine[]> => {
  const lines: LogLine[] = [];
  const watch = await watchLogs({
    logs: [{ node: 'broker/1', file }],
    onLine: (line) => lines.push(line),
    limit,
    everyMs: 5,
  });
  write();
  await watch[Symbol.asyncDispose]();
  return lines;
};

describe('the log watch', () => {
  it('tells notable lines that were added since it began', async () => {
    writeFileSync(file, 'ERROR before\n');
    const lines = await toldOf(() =>
      appendFileSync(file, 'INFO hello\nWARN store away\nINFO leads orders/0, epoch 4\n'),
    );
    expect(lines).toEqual([
      { node: 'broker/1', text: 'WARN store away' },
      { node: 'broker/1', text: 'INFO leads orders/0, epoch 4' },
    ]);
  });

  it('follows a file that does not exist yet', async () => {
    expect(await toldOf(() => writeFileSync(file, 'ERROR first\n'))).toHaveLength(1);
  });

  it('does not tell half a line', async () => {
    expect(await toldOf(() => writeFileSync(file, 'ERROR whole\nERROR ha'))).toEqual([
      { node: 'broker/1', text: 'ERROR whole' },
    ]);
  });

  // Red before: one look takes a mebibyte, and there was only one more at the end.
  it('reads to the end of what was written last, however much that is', async () => {
    const much = `INFO ${'x'.repeat(994)}\n`.repeat(3000);
    const lines = await toldOf(() => writeFileSync(file, `${much}ERROR the last\n`));
    expect(lines).toEqual([{ node: 'broker/1', text: 'ERROR the last' }]);
  });

  // Red before: a file that nobody could read counted as looked through.
  it('tells the nodes of which nothing was read', async () => {
    const logs = ['1', '2', '3'].map((node) => ({
      node: `broker/${node}`,
      file: join(directory, `broker-${node}.log`),
    }));
    for (const each of logs.slice(0, 2)) writeFileSync(each.file, 'INFO before\n');
    let coverage: LogCoverage | undefined;
    const watch = await watchLogs({
      logs,
      onLine: () => undefined,
      onCoverage: (told) => {
        coverage = told;
      },
      everyMs: 5,
    });
    appendFileSync(file, 'INFO more\n');
    await watch[Symbol.asyncDispose]();
    expect(coverage).toMatchObject({ files: 3, lines: 1, silent: ['broker/2', 'broker/3'] });
  });

  it('stops at its limit and says how many lines were left out', async () => {
    const lines = await toldOf(() => writeFileSync(file, 'ERROR x\n'.repeat(10)), 3);
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)?.text).toContain('7 more notable lines');
  });

  it('tells what a pattern names with its place and its own time, and says how much it looked through', async () => {
    const fenced = '[2026-11-30T11:15:36,732] INFO Fencing broker 2 at epoch 4 because its session has timed out.';
    writeFileSync(file, 'INFO The request from broker 2 to unfence has been granted\n');
    const lines: LogLine[] = [];
    let coverage: LogCoverage | undefined;
    const watch = await watchLogs({
      logs: [{ node: 'controller/1', file }],
      patterns: patternsFor('apache-kafka', '4.1.2'),
      patternLimit: 2,
      onLine: (line) => lines.push(line),
      onCoverage: (told) => {
        coverage = told;
      },
      everyMs: 5,
    });
    appendFileSync(file, `${fenced}\nINFO hello\n${fenced}\n${fenced}\n`);
    await watch[Symbol.asyncDispose]();
    const place = { pattern: 'broker-fenced', file, loggedAt: '2026-11-30T11:15:36,732' };
    expect(lines).toEqual([
      { node: 'controller/1', text: fenced, hit: { ...place, position: 59 } },
      { node: 'controller/1', text: fenced, hit: { ...place, position: 59 + fenced.length + 12 } },
    ]);
    expect(coverage).toMatchObject({ files: 1, lines: 4, bytes: 3 * (fenced.length + 1) + 11 });
    const matched = coverage?.patterns.filter(({ before, during }) => before + during > 0);
    expect(matched?.map(({ pattern, before, during }) => [pattern.kind, before, during])).toEqual([
      ['broker-fenced', 0, 3],
      ['broker-unfenced', 1, 0],
    ]);
  });

  it('cuts very long lines', async () => {
    const [line] = await toldOf(() => writeFileSync(file, `ERROR ${'x'.repeat(5_000)}\n`));
    expect(line?.text.length).toBe(500);
  });
});

describe('a notable line', () => {
  it('is a warning, an error or a change of ownership', () => {
    expect(isNotable('2026-01-01 WARN append failed')).toBe(true);
    expect(isNotable('INFO gave up orders/0, epoch 3')).toBe(true);
    expect(isNotable('INFO Shrinking ISR from 1,2,3 to 1,2')).toBe(true);
    expect(isNotable('INFO uploaded 10 records')).toBe(false);
  });
});
