import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { ANOMALIES } from '../../vocabulary.ts';
import { judgeText } from '../judge.ts';
import type { Checker } from './checker.ts';
import { CHECKERS } from './registry.ts';

const healthy = (): TextHistory =>
  new TextHistory()
    .acked(0, 5, 0)
    .acked(0, 5, 5, { producer: 'p2' })
    .read(1, 0, 0, 5)
    .read(1, 5, 0, 5, { producer: 'p2' })
    .pass(1, 0, 10);

describe('the checkers', () => {
  it('are sorted by kind, each with a sentence and sorted names that exist', () => {
    const kinds = CHECKERS.map(({ kind }) => kind);
    expect(kinds).toEqual([...new Set(kinds)].sort());
    for (const { kind, summary, detects } of CHECKERS) {
      expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/u);
      expect(summary).toMatch(/^[A-Z].*\.$/u);
      expect(detects).toEqual([...detects].sort());
      for (const anomaly of detects) expect(ANOMALIES).toContain(anomaly);
    }
  });

  it('detect each anomaly in one place', () => {
    const all = CHECKERS.flatMap(({ detects }) => [...detects]);
    expect(all).toHaveLength(new Set(all).size);
  });

  it('say nothing of a healthy run, and prove nothing of an empty one', () => {
    for (const checker of CHECKERS) {
      expect(judgeText(healthy().text, 'h', { checkers: [checker] }).findings).toEqual([]);
      expect(judgeText(new TextHistory().text, 'h', { checkers: [checker] }).verdict).toBe('inconclusive');
    }
  });

  it('make the run inconclusive when one of them throws, and say which and why', () => {
    const broken: Checker = {
      kind: 'broken',
      detects: ['phantom'],
      summary: 'Throws.',
      check: () => {
        throw new TypeError('no such thing');
      },
    };
    const judgement = judgeText(healthy().text, 'h', { checkers: [...CHECKERS, broken] });
    expect(judgement.verdict).toBe('inconclusive');
    expect(judgement.because).toContain('the checker broken failed on orders/0: no such thing');
  });
});
