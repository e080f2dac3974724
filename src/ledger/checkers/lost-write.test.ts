import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('lost-write', () => {
  it('finds nothing where every acknowledged record is read back', () => {
    expect(found(new TextHistory().acked(0, 5, 0).read(1, 0, 0, 5).pass(1, 0, 5))).toEqual([]);
  });

  it('counts each missing record of a batch, not the batch', () => {
    const history = new TextHistory().acked(0, 5, 0).read(1, 0, 0, 1).read(1, 4, 4, 1).pass(1, 0, 5);
    expect(found(history)).toEqual(['lost-write illegal 0 ×3', 'offset-gap illegal 0 ×1']);
  });

  it('tells what the last of very many passes lacks from what all of them show', () => {
    const history = new TextHistory().acked(0, 2, 0);
    for (let pass = 1; pass <= 33; pass++) history.read(pass, 0, 0, pass === 33 ? 1 : 2).pass(pass, 0, 2);
    expect(found(history)).toEqual(['divergent-route illegal 0 ×1']);
    const other = new TextHistory().acked(0, 2, 0);
    for (let pass = 1; pass <= 33; pass++) other.read(pass, 0, 0, 2).pass(pass, 0, 2);
    expect(found(other)).toEqual([]);
  });

  it('calls what lies above a pass that timed out unseen', () => {
    expect(found(new TextHistory().acked(0, 5, 0).read(1, 0, 0, 2).pass(1, 0, 2, 'timeout'))).toEqual([
      'unseen illegal 0 ×3',
    ]);
  });

  it('proves a cut tail by a snapshot asked after the ack, but not by one asked before', () => {
    const cut = (first: boolean): TextHistory => {
      const history = new TextHistory();
      history.line('offsets', { when: 'baseline', earliest: 0, latest: 0 });
      if (first) history.line('offsets', { when: 'before-fault', earliest: 0, latest: 3 });
      history.acked(0, 5, 0);
      if (!first) history.line('offsets', { when: 'after-heal', earliest: 0, latest: 3 });
      return history.read(1, 0, 0, 3).pass(1, 0, 3, 'timeout');
    };
    expect(found(cut(false))).toEqual(['lost-tail illegal 0 ×2']);
    expect(found(cut(true))).toEqual(['unseen illegal 0 ×2']);
  });

  it('is silent about a record that stands in another partition', () => {
    const history = new TextHistory().acked(0, 1, 0).pass(1, 0, 1).read(1, 0, 0, 1, { partition: 1, from: 0 });
    history.pass(1, 0, 1, 'complete', { partition: 1 });
    expect(found(history)).toEqual(['wrong-partition illegal 0 ×1']);
  });

  it('names a stale read where only the later pass shows the record, once for all passes', () => {
    const history = new TextHistory().acked(0, 3, 0);
    for (const pass of [1, 2]) history.read(pass, 0, 0, 2).pass(pass, 0, 3);
    history.read(3, 0, 0, 3).pass(3, 0, 3);
    expect(found(history)).toEqual(['stale-read illegal 0 ×1']);
  });

  it('does not call an earlier pass stale that never came to the record', () => {
    const history = new TextHistory().acked(0, 3, 0).read(1, 0, 0, 2).pass(1, 0, 2, 'timeout');
    expect(found(history.read(2, 0, 0, 3).pass(2, 0, 3))).toEqual([]);
  });

  it('looks at few reads for each record of a long batch that was read record by record', { timeout: 10_000 }, () => {
    const count = 60_000;
    const history = new TextHistory().acked(0, count, 0);
    for (let seq = 0; seq < count; seq++) if (seq !== 5) history.read(1, seq, seq, 1);
    expect(found(history.pass(1, 0, count))).toContain('lost-write illegal 0 ×1');
  });
});
