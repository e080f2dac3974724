// Each of the four states, from notes as the watches of a run write them.
import { describe, expect, it } from 'vitest';
import type { NoteLine } from '../ledger/history-lines.ts';
import type { EvidenceSource } from './model.ts';
import { type CellBoundary, watchCells } from './watch-cells.ts';

const note = (at: number, source: string, data: Readonly<Record<string, unknown>>, text = ''): NoteLine => ({
  t: 'note',
  at,
  source,
  text,
  data,
});
const answered = (watch: string): NoteLine =>
  note(90, 'coverage', { watch, state: 'answers', asked: 80, answered: 78, everyMs: 500 });

const cells = (boundary: CellBoundary, ...notes: readonly NoteLine[]): readonly EvidenceSource[] =>
  watchCells(notes)[boundary];
const only = (boundary: CellBoundary, ...notes: readonly NoteLine[]): EvidenceSource | undefined => {
  const found = cells(boundary, ...notes);
  expect(found).toHaveLength(1);
  return found[0];
};

describe('the cell of a watch', () => {
  it('is observed with what was seen, when, and how often it was looked for', () => {
    const seen = note(14_400, 'fenced', { fenced: [1], absent: [], tellsFenced: true });
    expect(only('ownership', note(1, 'fenced', { fenced: [], absent: [] }), seen, answered('fenced'))).toEqual({
      source: 'fenced brokers',
      state: 'observed',
      detail: 'broker 1 fenced from 14.400 s; 78 of 80 questions answered, one every 500 ms',
    });
  });

  it('is not observed where it was answered and nothing appeared', () => {
    expect(only('ownership', note(1, 'fenced', { fenced: [], absent: [] }), answered('fenced'))?.state).toBe(
      'not observed',
    );
  });

  it('is not collected where nobody ever answered, or may not be asked', () => {
    const never = note(9, 'coverage', { watch: 'quorum', state: 'away', asked: 9, answered: 0, everyMs: 1000 });
    expect(only('ownership', never)).toMatchObject({
      state: 'not collected',
      detail: 'never answered: 0 of 9 questions answered, one every 1000 ms',
    });
    const refused = note(9, 'coverage', { watch: 'quorum', state: 'not-permitted', asked: 1, answered: 0, everyMs: 1 });
    const why = note(1, 'quorum', { state: 'not-permitted' }, 'not permitted: CLUSTER_AUTHORIZATION_FAILED');
    expect(only('ownership', why, refused)).toMatchObject({ state: 'not collected', detail: why.text });
  });

  it('is not provided where the cluster has no such question, of disks once for all brokers', () => {
    const lacks = (watch: string): NoteLine =>
      note(9, 'coverage', { watch, state: 'not-provided', asked: 1, answered: 0, everyMs: 1 });
    expect(only('wal', lacks('log-dirs/1'), lacks('log-dirs/2'))?.state).toBe('not provided');
  });

  it('of eligible replicas tells a cluster that keeps no such set from one where it stayed empty', () => {
    const told = (more: Readonly<Record<string, unknown>>): NoteLine =>
      note(1, 'elr', { partition: 0, inSync: [1, 2], offline: [], ...more });
    expect(only('ownership', told({}), answered('elr'))?.state).toBe('not provided');
    expect(only('ownership', told({ eligible: [] }), answered('elr'))?.state).toBe('not observed');
    expect(only('ownership', told({ eligible: [3] }), answered('elr'))?.state).toBe('observed');
  });

  it('of the quorum names every term', () => {
    const led = (at: number, leader: number, epoch: number): NoteLine => note(at, 'quorum', { leader, epoch });
    const found = only('ownership', led(1, 101, 3), led(2, 101, 3), led(5_000, 103, 4), answered('quorum'));
    expect(found?.detail).toContain('led by 101 in epoch 3, 103 in epoch 4 from 5.000 s');
  });

  // Red before: answered once before and once after, it looked as if nothing had happened.
  it('is no clean one where nobody answered while a fault acted', () => {
    const away = (at: number, state: string): NoteLine => note(at, 'fenced', { state });
    const under = (silentMs: number): EvidenceSource | undefined => {
      const notes = [away(12_000, 'away'), away(12_000 + silentMs, 'answers'), answered('fenced')];
      return watchCells(notes, [{ id: 'kill-1', from: 11_000, to: 21_000 }]).ownership[0];
    };
    const counted = '78 of 80 questions answered, one every 500 ms';
    const text = 'fenced was not answered from 12.000 s to 20.000 s, while kill-1 acted';
    expect(under(8000)).toMatchObject({ state: 'not collected', detail: `${counted}; ${text}` });
    expect(under(3000)).toMatchObject({ state: 'not observed', detail: expect.stringContaining('to 15.000 s') });
    const later = watchCells([away(30_000, 'away'), answered('fenced')], [{ id: 'kill-1', from: 1, to: 9 }]);
    expect(later.ownership[0]).toMatchObject({ state: 'not observed', detail: counted });
  });

  it('says nothing where there was no watch', () => {
    expect(Object.values(watchCells([])).flat()).toEqual([]);
  });
});

describe('the cells of log patterns', () => {
  const pattern = (kind: string, before: number, during: number) => ({
    kind,
    means: kind,
    isBadSign: false,
    boundary: 'ownership',
    before,
    during,
  });

  it('say that nothing is known of a product whose words are not', () => {
    const looked = note(9, 'coverage', { watch: 'logs', files: 6, lines: 987, bytes: 1, patterns: [] });
    const lacks = note(1, 'coverage', { watch: 'logs', state: 'not-collected' });
    const why = note(1, 'logs', { state: 'not-collected' }, 'its words are not known');
    expect(cells('wal', why, lacks, looked)).toEqual([
      { source: 'node logs', state: 'not collected', detail: 'its words are not known' },
    ]);
    expect(cells('wal', looked)).toEqual([]);
  });

  it('do not take for a good sign what never matched', () => {
    const quiet = {
      watch: 'logs',
      files: 3,
      lines: 0,
      silent: ['broker/1'],
      bytes: 0,
      patterns: [pattern('shrunk', 3, 0)],
    };
    expect(cells('ownership', note(9, 'coverage', quiet))).toMatchObject([
      { state: 'not collected', detail: expect.stringContaining('0 lines of 3 files (nothing new from broker/1)') },
    ]);
    const patterns = [pattern('fenced', 0, 2), pattern('shrunk', 3, 0), pattern('unclean', 0, 0)];
    const logs = note(9, 'coverage', { watch: 'logs', files: 6, lines: 987, bytes: 1, patterns });
    expect(cells('ownership', logs).map(({ state, detail }) => [state, detail])).toEqual([
      ['observed', 'fenced × 2; 987 lines of 6 files'],
      ['not observed', 'shrunk; matched before, in 987 lines of 6 files of this part not'],
      ['not collected', 'unclean: never matched here, so its absence shows nothing'],
    ]);
  });
});
