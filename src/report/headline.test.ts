import { describe, expect, test } from 'vitest';
import { headlineOf } from './headline.ts';
import type { Outcome } from './model.ts';

const outcome: Outcome = { verdict: 'pass', because: 'R', bounds: 'met', heal: 'clean', ended: 'complete', errors: [] };

/** In the order of the exit codes 1 > 4 > 70 > 130/143 > 2 > 3 > 0: each row has every trouble of the rows below it. */
const LADDER: readonly (readonly [string, Partial<Outcome>])[] = [
  ['FAIL', { verdict: 'fail', heal: 'failed', ended: 'error', bounds: 'missed' }],
  ['HEAL FAILED', { verdict: 'inconclusive', heal: 'failed', ended: 'error', bounds: 'missed' }],
  ['ERROR', { verdict: 'inconclusive', ended: 'error', bounds: 'missed' }],
  ['INTERRUPTED', { verdict: 'inconclusive', ended: 'interrupted', bounds: 'missed' }],
  ['INCONCLUSIVE', { verdict: 'inconclusive', bounds: 'missed' }],
  ['INCONCLUSIVE', { bounds: 'no-samples' }],
  ['BOUNDS MISSED', { bounds: 'missed' }],
  ['PASS', {}],
];

describe('the word of the first line', () => {
  test.each(LADDER)('is %s for %j', (word, change) => {
    const line = headlineOf({ outcome: { ...outcome, ...change }, parts: [] });
    expect(line.startsWith(`${word} `)).toBe(true);
    expect(line).toContain('R');
  });

  test('a failed heal is told even where a violation outranks it', () => {
    expect(headlineOf({ outcome: { ...outcome, verdict: 'fail', heal: 'failed' }, parts: [] })).toContain(
      'could not be healed',
    );
  });
});
