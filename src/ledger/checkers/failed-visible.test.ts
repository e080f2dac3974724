import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('failed-visible', () => {
  const refused = (more: Record<string, unknown>): TextHistory => {
    const run = { producer: 'p1', seq: 1, count: 2 };
    const history = new TextHistory()
      .acked(0, 1, 0)
      .line('send', run)
      .line('error', { ...run, ...more });
    return history.read(1, 0, 0, 3).pass(1, 0, 3);
  };

  it('finds records that were refused for certain and are there', () => {
    expect(found(refused({ code: 10 }))).toEqual(['failed-visible illegal 0 ×2']);
    expect(found(refused({ notSent: true }))).toEqual(['failed-visible illegal 0 ×2']);
  });

  it('believes no refusal after an earlier attempt, a taint, or by a code that decides nothing', () => {
    for (const doubt of [{ code: 10, attempts: 2 }, { code: 10, tainted: true }, { code: 7 }, { code: 12345 }, {}]) {
      expect(found(refused(doubt))).toEqual(['recovered legal 0 ×2']);
    }
  });

  it('believes NOT_ENOUGH_REPLICAS only of Apache Kafka', () => {
    const run = { producer: 'p1', seq: 1 };
    const history = new TextHistory({ profile: 'other' }).acked(0, 1, 0).line('send', run);
    history
      .line('error', { ...run, code: 19 })
      .read(1, 0, 0, 2)
      .pass(1, 0, 2);
    expect(found(history)).toEqual(['recovered legal 0 ×1']);
  });
});
