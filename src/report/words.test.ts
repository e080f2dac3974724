import { expect, test } from 'vitest';
import { partName, targetText } from './words.ts';

test('a run without a fault is not called one with a fault', () => {
  expect(partName({ part: 'main' }, true)).toBe('Baseline run');
  expect(partName({ part: 'main' }, false)).toBe('Fault run');
  expect(partName({ part: 'preflight' }, true)).toBe('Honesty check');
});

test('a target that is called like its kind is named once', () => {
  expect(targetText({ kind: 'embedded', name: 'embedded', fingerprint: {} })).toBe('embedded');
  expect(targetText({ kind: 'external', name: 'staging', fingerprint: {} })).toBe('staging (external)');
});
