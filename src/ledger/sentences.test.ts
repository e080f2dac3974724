import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../test/support/text-history.ts';
import { judgeText } from './judge.ts';
import { grouped, stretch } from './sentences.ts';

const because = (history: TextHistory): string => judgeText(history.text).because;
const kill = (history: TextHistory): TextHistory => {
  for (const edge of ['intent', 'applied', 'confirmed']) history.line('fault', { fault: 'process-kill', edge });
  return history;
};

describe('the first line', () => {
  it('of a fail says how many, where, when, and which fault was near', () => {
    const history = kill(new TextHistory().acked(0, 6, 10))
      .read(1, 10, 0, 1)
      .read(1, 14, 4, 1)
      .pass(1, 0, 16);
    expect(because(history)).toBe(
      '4 acked records missing: orders/0 offsets 11-13, 15, acked at 0.020 s, 20 ms before process-kill',
    );
  });

  it('of a fail puts the worst first and counts the rest', () => {
    const history = new TextHistory()
      .acked(0, 3, 0)
      .read(1, 0, 0, 1, { checksum: 'bad' })
      .read(1, 2, 2, 1)
      .pass(1, 0, 3);
    expect(because(history)).toBe('1 acked record missing: orders/0 offset 1, acked at 0.020 s; also 1 corrupt-value');
  });

  it('of a fail adds up the partitions', () => {
    const history = new TextHistory().acked(0, 1, 0).acked(0, 2, 0, { partition: 1 }).pass(1, 0, 3);
    expect(because(history.pass(1, 0, 2, 'complete', { partition: 1 }))).toContain('and in 1 other partition');
  });

  it('of a pass says what was proved, what stayed open and what was legal', () => {
    const history = new TextHistory({ idempotence: true }).acked(0, 1, 0, { tainted: true, attempts: 2 }).unknown(1, 1);
    history.read(1, 0, 0, 1, { producerId: 1 }).read(1, 2, 0, 1, { producerId: 2 }).pass(1, 0, 3);
    expect(because(history)).toBe(
      '1 acked record all read back in 1 pass; 1 unknown outcome; legal here: 1 duplicate-client; 1 hole in the log',
    );
  });

  it('of an inconclusive run gives the first reason and counts the others', () => {
    const history = new TextHistory().line('harness', { anomaly: 'clock-jump', detail: 'the clock jumped by 3 s' });
    expect(because(history)).toBe('clock-jump: the clock jumped by 3 s (and 1 more reason)');
  });

  it('of a cluster that takes nothing any more says that first', () => {
    const history = new TextHistory()
      .line('harness', { anomaly: 'clock-jump', detail: 'the clock jumped by 3 s' })
      .line('harness', { anomaly: 'no-progress', detail: 'nothing was acknowledged after the heal' });
    expect(because(history)).toMatch(/^no-progress: nothing was acknowledged after the heal \(and 2 more/);
  });

  it('groups large numbers and rounds times as people do', () => {
    expect([999, 1000, 41_250, 1_234_567].map(grouped)).toEqual(['999', '1,000', '41,250', '1,234,567']);
    expect([0.4, 36, 400, 9949, 61_000].map(stretch)).toEqual(['0 ms', '36 ms', '0.4 s', '9.9 s', '61 s']);
  });
});
