// The end of a log file, for messages about a process that did not live.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES = 8_192;

/** The last `count` lines of a file, at most 400 characters each; empty when there is no such file. */
export const lastLines = (file: string, count: number): readonly string[] => {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString('utf8').split('\n');
    return lines
      .filter((line) => line.trim() !== '')
      .slice(-count)
      .map((line) => line.slice(0, 400));
  } finally {
    closeSync(descriptor);
  }
};
