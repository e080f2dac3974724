import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSource } from './source-text.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-source-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (content: string | Buffer): string => {
  const file = join(folder, 'x.yaml');
  writeFileSync(file, content);
  return file;
};

const problemOf = (file: string): string => {
  const read = readSource(file, 'scenario file');
  return 'problem' in read ? `${read.problem.kind} ${read.problem.describe().replace(`${folder}/`, '')}` : 'none';
};

test('a file is read as it is, characters of any script included', () => {
  expect(readSource(write('claim: größer 確\n'), 'file')).toEqual({ text: 'claim: größer 確\n' });
});

test('a file that is not there is trouble of the environment, and named', () => {
  expect(problemOf(join(folder, 'x.yaml'))).toMatch(/^environment FILE_UNREADABLE x.yaml — .*scenario file.*ENOENT/);
});

test('a directory is told to be one', () => {
  mkdirSync(join(folder, 'd'));
  expect(problemOf(join(folder, 'd'))).toMatch(/^environment FILE_UNREADABLE d — .*EISDIR.*name the files in it/);
});

test.each([
  ['another encoding', Buffer.from('a: 1\nname: l\xe9ader\n', 'latin1'), '2:8'],
  ['UTF-16', Buffer.from('\ufeffa: 1\n', 'utf16le'), '1:1'],
  ['a character cut off at the end', Buffer.from('a: é').subarray(0, 4), '1:4'],
])('text of %s is told at its first byte that is none', (_, content, at) => {
  expect(problemOf(write(content))).toBe(
    `input FILE_NOT_UTF8 x.yaml:${at} — The scenario file is not UTF-8 text. Save it as UTF-8.`,
  );
});

test('a replacement character that stands in the file is a character like any other', () => {
  expect(problemOf(write('a: \ufffd'))).toBe('none');
});

test('of a file that cannot be meant no more is read than tells so', () => {
  expect(problemOf(write(Buffer.alloc(1024 * 1024, 'a')))).toBe('none');
  expect(problemOf(write(Buffer.alloc(1024 * 1024 + 1, 'a')))).toMatch(/^input FILE_TOO_LONG x.yaml — /);
});

test.skipIf(process.platform === 'win32')('a device that never ends is given up', () => {
  expect(problemOf('/dev/zero')).toMatch(/FILE_TOO_LONG/);
});
