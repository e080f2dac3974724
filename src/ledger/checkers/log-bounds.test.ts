import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('log-bounds', () => {
  it('finds a hole once, though two passes jump over it', () => {
    const history = new TextHistory().acked(0, 2, 0).acked(2, 1, 4);
    for (const pass of [1, 2]) history.read(pass, 0, 0, 2).read(pass, 4, 2, 1).pass(pass, 0, 5);
    expect(found(history)).toEqual(['offset-gap illegal 0 ×1']);
  });

  it.each(['above', 'below'])(
    'takes no place between two ranges for a hole where their lines stand %s all reads',
    (place) => {
      const ranges = (history: TextHistory) => history.pass(1, 4, 6).pass(1, 0, 2, 'range');
      const history = new TextHistory().acked(0, 6, 0);
      if (place === 'above') ranges(history);
      history.read(1, 4, 4, 2).read(1, 0, 0, 2);
      if (place === 'below') ranges(history);
      expect(found(history)).toEqual(['unseen illegal 0 ×2']);
    },
  );

  it('finds a hole in the second of two ranges where one read line spans both and their lines stand together', () => {
    const history = new TextHistory().acked(0, 6, 0).acked(6, 1, 7).read(1, 0, 0, 6).read(1, 7, 6, 1);
    expect(found(history.pass(1, 0, 3, 'range').pass(1, 3, 8))).toEqual(['offset-gap illegal 0 ×1']);
  });

  it('takes no place for a hole where another pass shows a control record, and one that it fills in part for one', () => {
    const jump = (to: number): TextHistory =>
      new TextHistory()
        .acked(0, 1, 0)
        .acked(1, 1, to)
        .read(1, 0, 0, 1)
        .read(1, to, 1, 1)
        .pass(1, 0, to + 1)
        .line('read', { pass: 2, offset: 1, control: true })
        .pass(2, 1, 2, 'range');
    expect(found(jump(2))).toEqual([]);
    expect(found(jump(3))).toEqual(['offset-gap illegal 0 ×1']);
  });

  it('gives a read that no range holds to the range that was being read', () => {
    const history = new TextHistory().acked(0, 8, 0).read(1, 0, 0, 2).read(1, 6, 6, 1).read(1, 5, 5, 1);
    history.pass(1, 0, 2, 'range').pass(1, 6, 8);
    expect(found(history)).toContain('nonmonotonic-poll illegal 0 ×1');
  });

  it('finds an end of the log that falls, and each fall', () => {
    const history = new TextHistory().line('offsets', { when: 'baseline', earliest: 0, latest: 9 });
    for (const latest of [7, 9, 8]) history.line('offsets', { when: 'after-heal', earliest: 0, latest });
    expect(found(history)).toEqual(['hwm-regression illegal 0 ×2']);
  });

  it('finds an end of the log below what was acknowledged, if that record is there', () => {
    const history = new TextHistory().line('offsets', { when: 'baseline', earliest: 0, latest: 0 }).acked(0, 3, 0);
    history.line('offsets', { when: 'after-heal', earliest: 0, latest: 2 });
    history.line('offsets', { when: 'after-producers', earliest: 0, latest: 3 }).read(1, 0, 0, 3).pass(1, 0, 3);
    expect(found(history)).toEqual(['hwm-regression illegal 0 ×1']);
  });

  it('believes no old leader’s answer', () => {
    const history = new TextHistory().line('offsets', { when: 'baseline', earliest: 0, latest: 9, epoch: 5 });
    history.line('offsets', { when: 'after-heal', earliest: 0, latest: 7, epoch: 4 });
    expect(found(history)).toEqual([]);
  });

  it('finds an epoch that falls while the offset rises', () => {
    const history = new TextHistory().acked(0, 3, 0).read(1, 0, 0, 1, { epoch: 4 }).read(1, 1, 1, 1, { epoch: -1 });
    expect(found(history.read(1, 2, 2, 1, { epoch: 3 }).pass(1, 0, 3))).toEqual([
      'leader-epoch-regression illegal 0 ×1',
    ]);
  });
});
