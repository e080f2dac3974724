// The commands that ackproof itself tells people to type after a run was killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-heal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['heal --run of a run that left nothing says so', ['--run', 'r-1'], /^HEAL_UNKNOWN_RUN — No run named "r-1"/],
  ['heal of nothing in particular asks which', [], /^HEAL_WHICH — Name a run/],
  ['heal of one run and of all asks which', ['--run', 'r-1', '--all'], /mutually exclusive/],
])('%s', async (_, words, told) => {
  const { exitCode, stderr } = await runProgram(['heal', ...words], { XDG_STATE_HOME: folder });
  expect(stderr).toMatch(told);
  expect(exitCode).toBe(64);
});
