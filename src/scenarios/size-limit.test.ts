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

const watchOf = (directory: string, maxBytes: number, clock = new VirtualClock()) => {
  const seen: string[] = [];
  const watch = watchSize({ directory, maxBytes, clock, onExceeded: (what) => seen.push(what) });
  return { watch, seen, clock };
};

test('files of all folders count, and a folder that is not there counts nothing', async () => {
  expect(await sizeOf(folderOf(100))).toBe(100);
  expect(await sizeOf('/nowhere/at/all')).toBe(0);
});

test('a run directory above its limit is told at once, and once', async () => {
  const { watch, seen } = watchOf(folderOf(100), 99);
  await watch.look();
  await watch.look();
  await watch[Symbol.asyncDispose]();
  expect(seen).toEqual(['the run directory holds 100B, more than 99B']);
  expect(watch.exceeded).toMatchObject({ aborted: true, reason: new Error(seen[0]) });
});

test('a run directory at its limit is left alone, until it has grown', async () => {
  const folder = folderOf(100);
  const { watch, seen, clock } = watchOf(folder, 100);
  await watch.look();
  expect([seen, watch.exceeded.aborted]).toEqual([[], false]);
  writeFileSync(join(folder, 'more'), 'x');
  for (let looks = 0; looks < 4; looks++) await clock.run(clock.sleep(250));
  await expect.poll(() => seen).toHaveLength(1);
  await watch[Symbol.asyncDispose]();
});

// Red before: a look that took 400 ms on a busy machine was followed by eight seconds without one, and 1 MiB became 14.
test('a look that takes long is soon followed by the next', async () => {
  const pauses: number[] = [];
  let now = 0;
  const busy = {
    now: () => (now += 1000),
    wall: () => 0,
    sleep: async (ms: number, signal?: AbortSignal) => {
      pauses.push(ms);
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    },
  };
  const watch = watchSize({ directory: folderOf(100), maxBytes: 1000, clock: busy, onExceeded: () => undefined });
  await expect.poll(() => pauses).toEqual([2000]);
  await watch[Symbol.asyncDispose]();
});
