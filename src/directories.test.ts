import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory } from './directories.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-directories-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('making a directory', () => {
  it('makes what is missing above it, and is content with what is there', () => {
    makeDirectory(join(folder, 'a/b/c'));
    makeDirectory(join(folder, 'a/b/c'));
    expect(existsSync(join(folder, 'a/b/c'))).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('fails where a file system refuses, instead of trying for ever', () => {
    expect(() => makeDirectory('/proc/ackproof/runs')).toThrow('ENOENT');
  });

  it('fails below a file', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeDirectory(join(folder, 'file/runs'))).toThrow('ENOTDIR');
  });

  it('fails below a link that leads nowhere', () => {
    symlinkSync(join(folder, 'nowhere/at/all'), join(folder, 'link'));
    expect(() => makeDirectory(join(folder, 'link/runs'))).toThrow('ENOENT');
  });
});
