import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { judgeText } from '../judge.ts';

const found = (history: TextHistory): string[] =>
  judgeText(history.text).findings.map(
    ({ anomaly, legal, partition, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ×${count}`,
  );

describe('corruption', () => {
  it('finds a damaged record once, however many passes show it', () => {
    const history = new TextHistory().acked(0, 2, 0);
    for (const pass of [1, 2]) history.read(pass, 0, 0, 1).read(pass, 1, 1, 1, { checksum: 'bad' }).pass(pass, 0, 2);
    expect(found(history)).toEqual(['corrupt-value illegal 0 ×1']);
  });

  it('finds a damaged record that nothing names', () => {
    const history = new TextHistory({}, { exclusive: false }).acked(0, 1, 0).read(1, 0, 0, 1);
    expect(found(history.line('read', { pass: 1, offset: 1, checksum: 'bad' }).pass(1, 0, 2))).toEqual([
      'corrupt-value illegal 0 ×1',
    ]);
  });

  it('reports a damaged record in another partition with the one it was sent to', () => {
    const history = new TextHistory().acked(0, 1, 0).pass(1, 0, 1);
    history.read(1, 0, 0, 1, { partition: 1, from: 0, checksum: 'bad' }).pass(1, 0, 1, 'complete', { partition: 1 });
    expect(found(history)).toEqual(['corrupt-value illegal 0 ×1', 'wrong-partition illegal 0 ×1']);
  });
});
