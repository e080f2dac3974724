// What a test's code writes to stderr, kept instead of shown; empty again before each test.
import { afterEach, beforeEach, vi } from 'vitest';

/** Call it once at the top of a test file; returns what was written so far in this test, one text for each write. */
export const captureStderr = (): (() => readonly string[]) => {
  let written: string[] = [];
  beforeEach(() => {
    written = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());
  return () => written;
};
