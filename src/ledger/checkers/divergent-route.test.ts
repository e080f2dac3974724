import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('divergent-route', () => {
  it('finds a record that the cold pass lacks, whatever its outcome', () => {
    const history = new TextHistory().acked(0, 3, 0).unknown(3, 1).read('full', 0, 0, 4).pass('full', 0, 4);
    expect(found(history.read('cold', 0, 0, 3).pass('cold', 0, 4))).toEqual([
      'divergent-route illegal 0 ×1',
      'recovered legal 0 ×1',
    ]);
  });

  it('finds nothing where the later pass reads other ranges', () => {
    const history = new TextHistory().acked(0, 6, 0).read(1, 0, 0, 6).pass(1, 0, 6);
    expect(found(history.read(2, 2, 2, 2).pass(2, 2, 4, 'range'))).toEqual([]);
  });

  it('lets the log start take what the first pass still showed', () => {
    const history = new TextHistory({}, { config: { 'retention.bytes': 100 } }).acked(0, 4, 0);
    history.read(1, 0, 0, 4).pass(1, 0, 4).read(2, 2, 2, 2).pass(2, 2, 4);
    expect(found(history.line('offsets', { when: 'after-replay', earliest: 2, latest: 4 }))).toEqual([]);
  });
});
