import { describe, expect, it } from 'vitest';
import type { NoteLine } from '../ledger/history-lines.ts';
import { clusterChanges } from './cluster-changes.ts';

const note = (at: number, source: string, data: Readonly<Record<string, unknown>>): NoteLine => ({
  t: 'note',
  at,
  source,
  text: `told at ${at}`,
  data,
});

describe('what the cluster told of itself', () => {
  it('leaves out what was so from the beginning, of each partition and watch', () => {
    const told = clusterChanges([
      note(1, 'fenced', { fenced: [] }),
      note(2, 'elr', { partition: 0 }),
      note(3, 'elr', { partition: 1 }),
      note(4, 'fenced', { fenced: [1] }),
      note(5, 'elr', { partition: 1 }),
      note(6, 'isr', { partition: 1 }),
      note(7, 'isr', { partition: 1 }),
    ]);
    expect(told.map(({ at, source, text }) => [at, source, text])).toEqual([
      [4, 'fenced', 'told at 4'],
      [5, 'elr', 'told at 5'],
      [7, 'isr', 'in sync, told at 7'],
    ]);
  });

  it('has lines of logs with their place, and none without', () => {
    const place = { file: 'logs/controller-3.log', position: 50_569 };
    const told = clusterChanges([
      note(1, 'controller/3', { pattern: 'broker-fenced', ...place, loggedAt: '2026-11-30T11:36:00,545' }),
      note(2, 'controller/3', { pattern: 'broker-fenced', position: 1 }),
      { t: 'note', at: 3, source: 'controller/3', text: 'WARN something' },
    ]);
    expect(told).toEqual([
      {
        at: 1,
        source: 'controller/3',
        what: 'broker-fenced',
        text: 'told at 1',
        place: { ...place, loggedAt: '2026-11-30T11:36:00,545' },
      },
    ]);
  });

  it('says when a watch was away, and not how large everything was in the end', () => {
    const told = clusterChanges([
      note(1, 'log-dirs/1', { bytes: 5 }),
      note(2, 'log-dirs/1', { state: 'away' }),
      note(3, 'log-dirs/1', { bytes: 9, atEnd: true }),
      note(4, 'coverage', { watch: 'fenced' }),
      note(5, 'quorum', { state: 'not-provided' }),
    ]);
    expect(told.map(({ at }) => at)).toEqual([2]);
  });
});
