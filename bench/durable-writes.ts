// How fast this disk makes one small file after the other durable, file and directory: what a store that shares nothing between
// its writes could answer at best, and the yardstick for figures of a machine that others use too.
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/clock.ts';

/** Files of `sizeBytes` made durable in a second, one at a time, below `folder`. */
export const durableWritesPerSecond = (folder: string, sizeBytes: number, seconds: number): number => {
  const directory = mkdtempSync(join(folder, 'durable-'));
  const descriptor = openSync(directory, 'r');
  const body = Buffer.alloc(sizeBytes, 'x');
  const from = systemClock.now();
  let files = 0;
  for (; systemClock.now() - from < seconds * 1000; files++) {
    const file = openSync(join(directory, String(files)), 'wx');
    writeSync(file, body);
    fsyncSync(file);
    closeSync(file);
    fsyncSync(descriptor);
  }
  const rate = (files * 1000) / (systemClock.now() - from);
  closeSync(descriptor);
  rmSync(directory, { recursive: true });
  return rate;
};
