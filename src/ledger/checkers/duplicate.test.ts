import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('duplicate', () => {
  it('finds a record that stands twice in one pass, and counts it once over all passes', () => {
    const history = new TextHistory().acked(0, 2, 0);
    for (const pass of [1, 2]) history.read(pass, 0, 0, 2).read(pass, 2, 0, 1).pass(pass, 0, 3);
    expect(found(history)).toEqual(['duplicate illegal 0 ×1']);
  });

  it('does not take one record in two passes, or one place returned twice, for a duplicate', () => {
    const history = new TextHistory().acked(0, 2, 0).read(1, 0, 0, 2).read(1, 1, 1, 1).pass(1, 0, 2);
    expect(found(history.read(2, 0, 0, 2).pass(2, 0, 2))).toEqual(['nonmonotonic-poll illegal 0 ×1']);
  });

  it('tells an idempotent client’s second try from the broker’s second copy by producer id and epoch', () => {
    const twice = (second: Record<string, number>): TextHistory =>
      new TextHistory({ idempotence: true })
        .acked(0, 1, 0, { attempts: 2, tainted: true })
        .read(1, 0, 0, 1, { producerId: 7, producerEpoch: 0 })
        .read(1, 1, 0, 1, second)
        .pass(1, 0, 2);
    expect(found(twice({ producerId: 8, producerEpoch: 0 }))).toEqual(['duplicate-client legal 0 ×1']);
    expect(found(twice({ producerId: 7, producerEpoch: 1 }))).toEqual(['duplicate-client legal 0 ×1']);
    expect(found(twice({ producerId: 7, producerEpoch: 0 }))).toEqual(['duplicate illegal 0 ×1']);
    expect(found(twice({}))).toEqual(['duplicate illegal 0 ×1']);
  });
});
