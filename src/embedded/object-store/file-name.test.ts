import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileNameOf, keyOfFileName } from './file-name.ts';

describe('file names', () => {
  test('are one harmless path component, differ for different keys, and give the key back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), (key) => {
        const name = fileNameOf(key);
        expect(name).toMatch(/^[A-Za-z0-9_%~-]{1,240}$/);
        const back = keyOfFileName(name);
        if (back === undefined) expect(name).toMatch(/^~[0-9a-f]{64}$/);
        else expect(back).toBe(key);
      }),
      { seed: 3 },
    );
  });

  test('of keys that try to leave the directory stay in it', () => {
    expect(fileNameOf('../../etc/passwd')).toBe('%2e%2e%2f%2e%2e%2fetc%2fpasswd');
    expect(fileNameOf('.')).toBe('%2e');
    expect(fileNameOf('~x')).toBe('%7ex');
  });
});
