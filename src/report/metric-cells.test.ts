import { describe, expect, it } from 'vitest';
import type { NoteLine } from '../ledger/history-lines.ts';
import { metricCells } from './metric-cells.ts';

const note = (at: number, source: string, data: Readonly<Record<string, unknown>>): NoteLine => ({
  t: 'note',
  at,
  source,
  text: '',
  data,
});
const LOOKED_FOR = note(0, 'coverage', {
  watch: 'series',
  lookedFor: [
    { kind: 'active-controllers', isBadSign: false, boundary: 'ownership' },
    { kind: 'fenced-brokers', isBadSign: false, boundary: 'ownership' },
    { kind: 'offline-partitions', isBadSign: true, boundary: 'ownership' },
    { kind: 'unclean-elections', isBadSign: true, boundary: 'ownership' },
    { kind: 'failed-produce-requests', isBadSign: true, boundary: 'write' },
  ],
});
const scraped = (at: number, node: string, series: Readonly<Record<string, number>>): NoteLine =>
  note(at, `metrics/${node}`, { node, series });
const covered = (node: string, answered: number): NoteLine =>
  note(99, 'coverage', { watch: `metrics/${node}`, state: 'answers', asked: 8, answered, everyMs: 5000 });

const cells = (...notes: readonly NoteLine[]): readonly (readonly [string, string])[] =>
  metricCells([LOOKED_FOR, ...notes], 'ownership').map(({ state, detail }) => [state, detail]);

describe('the cells of scraped metrics', () => {
  it('tell what moved, what stood still, and what no scrape held', () => {
    const found = cells(
      scraped(1, 'controller/1', { 'active-controllers': 1, 'offline-partitions': 0, 'unclean-elections': 2 }),
      scraped(14_400, 'controller/1', { 'active-controllers': 1, 'offline-partitions': 0, 'unclean-elections': 3 }),
      covered('controller/1', 8),
    );
    const scrapes = '8 of 8 scrapes answered, one every 5000 ms';
    expect(found).toEqual([
      ['observed', `active-controllers stood at 1, unclean-elections 2 to 3 on controller/1 at 14.400 s; ${scrapes}`],
      ['not observed', `offline-partitions stood at 0; ${scrapes}`],
      ['not collected', `fenced-brokers: no scrape held it; ${scrapes}`],
    ]);
  });

  it('do not take the difference of two nodes for a change', () => {
    const [first] = cells(
      scraped(1, 'controller/1', { 'active-controllers': 1 }),
      scraped(2, 'controller/2', { 'active-controllers': 0 }),
      covered('controller/1', 4),
      covered('controller/2', 4),
    );
    expect(first?.[1]).toContain('active-controllers stood at 1 and 0');
  });

  it('are not collected where no scrape was answered', () => {
    expect(cells(covered('controller/1', 0))).toEqual([
      ['not collected', '0 of 8 scrapes answered, one every 5000 ms'],
    ]);
  });

  it('are none where nothing is scraped', () => {
    expect(cells()).toEqual([]);
  });

  // Red before: an exporter that was silent just then looked as if nothing had moved.
  it('of a bad sign that stood still is no clean one where no exporter answered while a fault acted', () => {
    const state = (at: number, state: string): NoteLine => note(at, 'metrics/controller/1', { state });
    const notes = [
      LOOKED_FOR,
      scraped(1, 'controller/1', { 'offline-partitions': 0 }),
      state(11_000, 'away'),
      state(20_000, 'answers'),
      covered('controller/1', 5),
    ];
    const cell = (to: number): unknown =>
      metricCells(notes, 'ownership', [{ id: 'kill-1', from: 10_000, to }]).find(({ detail }) =>
        detail.startsWith('offline-partitions'),
      );
    expect(cell(21_000)).toMatchObject({ state: 'not collected' });
    expect(cell(60_000)).toMatchObject({
      state: 'not observed',
      detail: expect.stringContaining('while kill-1 acted'),
    });
  });
});
