// The command line of `npm run soundness`.
import { describe, expect, it } from 'vitest';
import { isAskedFor, readOptions } from './options.ts';

describe('the options', () => {
  it('are everything, without a limit, of the newest commit', () => {
    const nothing = { only: undefined, budgetMs: Number.POSITIVE_INFINITY, atOnce: 2, commit: 'HEAD', pageOnly: false };
    expect(readOptions([])).toEqual(nothing);
  });

  it('take several cells, a budget with its unit and a commit', () => {
    const words = ['--only', 'leader-kill', '--only', ':no-fencing', '--budget', '20m', '--at-once', '3', '--page'];
    const options = { only: ['leader-kill', ':no-fencing'], budgetMs: 1_200_000, pageOnly: true };
    expect(readOptions(words)).toEqual({ ...options, atOnce: 3, commit: 'HEAD' });
    expect(readOptions(['--commit', 'main~1']).commit).toBe('main~1');
  });

  it.each([['--budget', '20'], ['--at-once', '0'], ['--only'], ['leader-kill'], ['--cross', 'all']])(
    'refuse %j %j',
    (...words: string[]) => {
      expect(() => readOptions(words)).toThrow();
    },
  );

  it('choose a cell by its scenario, its defect, or both', () => {
    const cell = { scenario: 'leader-kill', defect: 'no-fencing' };
    const asked = (...only: string[]): boolean => isAskedFor(only, cell);
    expect(['leader-kill', ':no-fencing', 'leader-kill:no-fencing'].map((each) => asked(each))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['baseline', 'leader-kill:none', ':lose-wal-tail'].map((each) => asked(each))).toEqual([
      false,
      false,
      false,
    ]);
    expect(isAskedFor(['leader-kill:none'], { scenario: 'leader-kill' })).toBe(true);
  });
});
