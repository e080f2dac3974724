import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import type { RunRecord } from '../ledger/run-record.ts';
import { createRunDirectory, writeRunRecord } from './run-directory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-place-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a run directory is called after its time and scenario, and made with everything above it', () => {
  const out = join(folder, 'a', 'b');
  const { runId, directory } = createRunDirectory(out, 'leader-kill', new VirtualClock());
  expect(runId).toMatch(/^2027-01-15T08-00-00Z-leader-kill-[0-9a-f]{4}$/);
  expect([basename(directory), statSync(join(directory, 'logs')).isDirectory()]).toEqual([runId, true]);
});

test('two runs of the same second have a directory each', () => {
  const clock = new VirtualClock();
  const ids = Array.from({ length: 8 }, () => createRunDirectory(folder, 'x', clock).runId);
  expect(readdirSync(folder).sort()).toEqual([...new Set(ids)].sort());
  expect(new Set(ids).size).toBeGreaterThan(1);
});

test('a directory that cannot be made is trouble of the environment that says what to do', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => createRunDirectory(join(file, 'runs'), 'x', new VirtualClock())).toThrow(
    expect.objectContaining({ code: 'RUN_DIRECTORY_NOT_CREATED', kind: 'environment' }),
  );
});

test('run.json is replaced whole, and nothing is left beside it', () => {
  const record = (verdict: string) => ({ verdict }) as unknown as RunRecord;
  writeRunRecord(folder, record('pass'));
  writeRunRecord(folder, record('fail'));
  expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))).toEqual({ verdict: 'fail' });
  expect(existsSync(join(folder, 'run.json.new'))).toBe(false);
});
