import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lastLines } from './log-tail.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-tail-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

it('the last lines of a log come without blank ones, and are cut', () => {
  const file = join(directory, 'log');
  writeFileSync(file, `one\n\ntwo\n${'x'.repeat(900)}\n`);
  expect(lastLines(file, 2)).toEqual(['two', 'x'.repeat(400)]);
});

it('a log that is large or missing is no trouble', () => {
  const file = join(directory, 'log');
  writeFileSync(file, `${'a line\n'.repeat(50_000)}the end\n`);
  expect(lastLines(file, 1)).toEqual(['the end']);
  expect(lastLines(join(directory, 'none'), 3)).toEqual([]);
});
