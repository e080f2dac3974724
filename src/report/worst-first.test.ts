import { expect, it } from 'vitest';
import type { Finding } from '../ledger/judgement.ts';
import { findingSentence } from '../ledger/sentences.ts';
import type { Anomaly } from '../vocabulary.ts';
import { worstFirst } from './worst-first.ts';

const finding = (anomaly: Anomaly, more: Partial<Finding> = {}): Finding => ({
  anomaly,
  legal: false,
  rule: 'x',
  severity: 'violation',
  topic: 'orders',
  partition: 0,
  count: 1,
  examples: [],
  ranges: [],
  ...more,
});

it('shows first what the judgement names first', () => {
  const findings = (['nonmonotonic-poll', 'realtime-order', 'duplicate', 'lost-write'] as const).map((anomaly) =>
    finding(anomaly),
  );
  for (let kept = findings.length; kept > 1; kept--) {
    const [worst] = worstFirst(findings.slice(0, kept));
    expect(worst?.anomaly).toBe(findings[kept - 1]?.anomaly);
    expect(findingSentence(findings.slice(0, kept))).toContain(findingSentence(worst === undefined ? [] : [worst]));
  }
});

it('shows what breaks the contract before what it allows, and violations before notes', () => {
  const shown = worstFirst([
    finding('lost-write', { legal: true }),
    finding('recovered', { severity: 'note' }),
    finding('offset-gap', { severity: 'degradation' }),
    finding('nonmonotonic-poll'),
    finding('nonmonotonic-poll', { count: 3, partition: 1 }),
  ]);
  expect(shown.map(({ anomaly, count }) => `${anomaly} ×${count}`)).toEqual([
    'nonmonotonic-poll ×3',
    'nonmonotonic-poll ×1',
    'offset-gap ×1',
    'recovered ×1',
    'lost-write ×1',
  ]);
});
