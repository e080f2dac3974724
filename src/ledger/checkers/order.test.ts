import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('order', () => {
  it('finds a batch stored below an earlier one, record by record', () => {
    const history = new TextHistory().acked(0, 2, 2).acked(2, 2, 0).read(1, 0, 2, 2).read(1, 2, 0, 2).pass(1, 0, 4);
    expect(found(history)).toEqual(['nonmonotonic-send illegal 0 ×2', 'realtime-order illegal 0 ×2']);
  });

  it('looks at the order of sends in the first pass only', () => {
    const history = new TextHistory().unknown(0, 1).unknown(1, 1).read(1, 0, 0, 2).pass(1, 0, 2);
    history.read(2, 1, 0, 1).read(2, 0, 1, 1).pass(2, 0, 2);
    expect(found(history)).not.toContain('nonmonotonic-send legal 0 ×1');
  });

  it('does not compare incarnations with each other', () => {
    const history = new TextHistory().unknown(0, 1).unknown(0, 1, { incarnation: 1 });
    history.read(1, 0, 0, 1, { incarnation: 1 }).read(1, 1, 0, 1).pass(1, 0, 2);
    expect(found(history)).toEqual(['recovered legal 0 ×2']);
  });

  it('finds a record below what was acknowledged before it was sent, also if it is unknown itself', () => {
    const history = new TextHistory().acked(0, 1, 1).unknown(0, 1, { producer: 'p2' });
    history.read(1, 0, 0, 1, { producer: 'p2' }).read(1, 1, 0, 1).pass(1, 0, 2);
    expect(found(history)).toEqual(['realtime-order illegal 0 ×1', 'recovered legal 0 ×1']);
  });

  it('says nothing of real time where an acknowledged offset was wrong', () => {
    const history = new TextHistory().acked(0, 1, 9).acked(0, 1, 0, { producer: 'p2' });
    history.read(1, 0, 0, 1, { producer: 'p2' }).read(1, 1, 0, 1).pass(1, 0, 10);
    expect(found(history)).toEqual(['ack-offset-mismatch illegal 0 ×1']);
  });

  it('counts each time that a pass goes back, and two passes that go back alike once', () => {
    const history = new TextHistory().acked(0, 3, 0);
    for (const pass of [1, 2]) history.read(pass, 0, 0, 3).read(pass, 0, 0, 3).read(pass, 0, 0, 3).pass(pass, 0, 3);
    expect(found(history)).toEqual(['nonmonotonic-poll illegal 0 ×2']);
  });

  it('finds a fall in the second of two ranges where one read line spans both', () => {
    const history = new TextHistory().acked(0, 6, 0).read(1, 0, 0, 6).read(1, 5, 5, 1);
    expect(found(history.pass(1, 0, 3, 'range').pass(1, 3, 6))).toEqual(['nonmonotonic-poll illegal 0 ×1']);
  });

  it('lets a pass read its ranges in any order', () => {
    const history = new TextHistory().acked(0, 4, 0).read(1, 0, 0, 4).pass(1, 0, 4);
    history.read(2, 2, 2, 2).pass(2, 2, 4, 'range').read(2, 0, 0, 2).pass(2, 0, 2, 'range');
    expect(found(history)).toEqual([]);
  });

  // Red before: each read was held against every range, for minutes.
  it.each(['apart', 'together'])(
    'takes no long look at a pass of many ranges that are recorded %s',
    { timeout: 10_000 },
    (recorded) => {
      const count = 20_000;
      const history = new TextHistory().acked(0, count, 0);
      const range = (at: number) => history.pass(1, at, at + 1, at === count - 1 ? 'complete' : 'range');
      for (let at = 0; at < count; at++) {
        history.read(1, at, at, 1);
        if (recorded === 'apart') range(at);
      }
      for (let at = 0; at < count && recorded === 'together'; at++) range(at);
      expect(found(history)).toEqual([]);
    },
  );
});
