import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isNotable, type LogLine, watchLogs } from './log-watch.ts';

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

  it('stops at its limit and says how many lines were left out', async () => {
    const lines = await toldOf(() => writeFileSync(file, 'ERROR x\n'.repeat(10)), 3);
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)?.text).toContain('7 more notable lines');
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
