import { describe, expect, test } from 'vitest';
import { matchesGlob } from './key-glob.ts';

describe('a pattern for keys', () => {
  test.each([
    ['*/wal/*', 'd41d8/nscluster/1/7/wal/0-99', true],
    ['*/wal/*', 'wal/0', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', true],
    ['a?c', 'ac', false],
    ['*.parquet', 'x.parquet.tmp', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*ab', 'aab', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['a**', 'a', true],
  ])('%j on %j: %j', (pattern, key, isMatch) => expect(matchesGlob(pattern, key)).toBe(isMatch));

  test('of many stars on a key that it does not describe comes to an end', () => {
    expect(matchesGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(1024))).toBe(false);
  });
});
