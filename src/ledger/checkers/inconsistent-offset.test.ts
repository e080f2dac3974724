import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('inconsistent-offset', () => {
  it('finds a record that stands elsewhere than acknowledged', () => {
    expect(found(new TextHistory().acked(0, 2, 5).read(1, 0, 0, 2).pass(1, 0, 7))).toEqual([
      'ack-offset-mismatch illegal 0 ×2',
    ]);
  });

  it('counts an offset about which three passes disagree once', () => {
    const history = new TextHistory().unknown(0, 1).unknown(0, 1, { producer: 'p2' }).unknown(0, 1, { producer: 'p3' });
    for (const [pass, producer] of ['p1', 'p2', 'p3'].entries()) {
      history.read(pass, 0, 0, 1, { producer }).pass(pass, 0, 1);
    }
    expect(found(history)).toContain('inconsistent-offset illegal 0 ×1');
  });

  it('counts all records that share one acknowledged offset', () => {
    const history = new TextHistory();
    for (const producer of ['p1', 'p2', 'p3']) history.acked(0, 1, 0, { producer });
    expect(found(history.read(1, 0, 0, 1).pass(1, 0, 1))).toEqual([
      'duplicate-ack-offset illegal 0 ×3',
      'lost-write illegal 0 ×2',
    ]);
  });

  it('finds batches that overlap in part', () => {
    const history = new TextHistory().acked(0, 4, 0).acked(0, 4, 2, { producer: 'p2' });
    history.read(1, 0, 0, 4).read(1, 4, 2, 2, { producer: 'p2' }).pass(1, 0, 6);
    expect(found(history)).toEqual(['duplicate-ack-offset illegal 0 ×4', 'lost-write illegal 0 ×2']);
  });

  it('takes a control record at an acknowledged offset for nothing', () => {
    const history = new TextHistory().acked(0, 2, 0).read(1, 0, 0, 1);
    expect(found(history.line('read', { pass: 1, offset: 1, control: true }).pass(1, 0, 2))).toEqual([
      'lost-write illegal 0 ×1',
    ]);
  });
});
