import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { sizeOf, watchSize } from './size-limit.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const folderOf = (bytes: number): string => {
  const folder = mkdtempSync(join(tmpdir(), 'size-limit-'));
  folders.push(folder);
  mkdirSync(join(folder, 'ledger'));
  writeFileSync(join(folder, 'run.json'), Buffer.alloc(10));
  writeFileSync(join(folder, 'ledger', 'rows'), Buffer.alloc(bytes - 10));
  return folder;
};

/** What was told after two seconds of a folder of 100 bytes. */
const told = async (maxBytes: number): Promise<readonly number[]> => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  const watch = watchSize({ directory: folderOf(100), maxBytes, clock, onExceeded: (bytes) => seen.push(bytes) });
  for (let looks = 0; looks < 4; looks++) await clock.run(clock.sleep(1000));
  await expect.poll(() => seen.length >= (maxBytes < 100 ? 1 : 0)).toBe(true);
  await watch[Symbol.asyncDispose]();
  return seen;
};

test('files of all folders count, and a folder that is not there counts nothing', async () => {
  expect(await sizeOf(folderOf(100))).toBe(100);
  expect(await sizeOf('/nowhere/at/all')).toBe(0);
});

test('a run directory above its limit is told once, one at its limit not', async () => {
  expect(await told(99)).toEqual([100]);
  expect(await told(100)).toEqual([]);
});
