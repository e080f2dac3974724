import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

const reasons = (history: TextHistory): readonly string[] => judgeText(history.text).inconclusiveBecause;

describe('coverage', () => {
  it('counts unknown records that are there and that are not', () => {
    const history = new TextHistory().acked(0, 1, 0).unknown(1, 2).unknown(3, 1).read(1, 0, 0, 3).pass(1, 0, 3);
    expect(found(history)).toEqual(['recovered legal 0 ×2', 'unknown-absent legal 0 ×1']);
    expect(reasons(history)).toEqual([]);
  });

  it('names each partition that no pass read to its end', () => {
    const history = new TextHistory().acked(0, 1, 0).acked(0, 1, 0, { partition: 1 }).read(1, 0, 0, 1).pass(1, 0, 1);
    history.read(1, 0, 0, 1, { partition: 1 }).pass(1, 0, 1, 'range', { partition: 1 });
    expect(reasons(history)).toEqual(['no pass reached the end of orders/1']);
  });

  it('misses the baseline only where anything else was snapshotted', () => {
    const history = new TextHistory()
      .acked(0, 1, 0)
      .line('offsets', { when: 'after-producers', earliest: 0, latest: 1 });
    history.read(1, 0, 0, 1).pass(1, 0, 1);
    expect(reasons(history)).toEqual(['there is no baseline snapshot of orders/0']);
  });

  it('asks nothing of a partition without an acknowledged record', () => {
    const history = new TextHistory().acked(0, 1, 0).unknown(0, 1, { partition: 1 }).read(1, 0, 0, 1).pass(1, 0, 1);
    expect(reasons(history)).toEqual([]);
  });
});
