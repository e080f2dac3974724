import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('phantom', () => {
  it('finds ids of this run that nobody sent, and only those', () => {
    expect(found(new TextHistory().acked(0, 2, 0).read(1, 0, 0, 4).pass(1, 0, 4))).toEqual(['phantom illegal 0 ×2']);
  });

  it('counts once what two passes show alike, however each tells its reads', () => {
    const history = new TextHistory().line('offsets', { when: 'baseline', earliest: 0, latest: 0 });
    const ghost = { producer: 'ghost' };
    history.read(1, 0, 0, 4, ghost).line('read', { pass: 1, offset: 4, count: 4 }).pass(1, 0, 8);
    history.read(2, 0, 0, 1, ghost).read(2, 1, 1, 3, ghost).line('read', { pass: 2, offset: 4, count: 2 });
    history.line('read', { pass: 2, offset: 6, count: 2 }).pass(2, 0, 8);
    expect(found(history)).toEqual(['phantom illegal 0 ×8']);
  });

  it('finds a record of a producer that never sent anything', () => {
    const history = new TextHistory().acked(0, 1, 0).read(1, 0, 0, 1).read(1, 1, 0, 1, { producer: 'ghost' });
    expect(found(history.pass(1, 0, 2))).toEqual(['phantom illegal 0 ×1']);
  });

  it('reports an id that names a partition it was not sent to where it was read', () => {
    const history = new TextHistory().acked(0, 1, 0).read(1, 0, 0, 1).pass(1, 0, 1);
    history.read(1, 0, 9, 1, { partition: 1, from: 0 }).pass(1, 0, 1, 'complete', { partition: 1 });
    expect(found(history)).toEqual(['phantom illegal 1 ×1']);
  });

  it('takes a record of another run for foreign: harmless below the baseline, not above it', () => {
    const history = new TextHistory().line('offsets', { when: 'baseline', earliest: 0, latest: 1 }).acked(0, 1, 1);
    const foreign = { producer: 'p1', seq: 0, run: 'r0' };
    history.line('read', { pass: 1, offset: 0, id: foreign }).read(1, 1, 0, 1);
    expect(found(history.line('read', { pass: 1, offset: 2, id: foreign }).pass(1, 0, 3))).toEqual([
      'phantom illegal 0 ×1',
    ]);
  });
});
