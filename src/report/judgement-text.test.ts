import { expect, test } from 'vitest';
import type { Finding, RunResult } from '../ledger/judgement.ts';
import { renderJudgement } from './judgement-text.ts';

const finding = (anomaly: Finding['anomaly'], legal: boolean, count: number): Finding => ({
  anomaly,
  legal,
  rule: 'a rule\u001b[31m',
  severity: 'violation',
  topic: 'orders',
  partition: 2,
  count,
  examples: [],
  ranges: [{ first: 5, last: 9 }],
});

const result: RunResult = {
  formatVersion: 1,
  judgement: {
    verdict: 'fail',
    because: '5 acked records missing: orders/2 offsets 5-9',
    findings: [finding('recovered', true, 9), finding('lost-write', false, 5)],
    examined: { sent: 20, ok: 15, fail: 0, unknown: 5, read: 10, passes: 1, partitions: 1 },
    inconclusiveBecause: ['the replay ended early'],
    judgeVersion: '1',
  },
  bounds: 'missed',
  boundResults: [{ name: 'longestGap', limitMs: 100, measuredMs: 250, state: 'missed', where: 'orders/2' }],
  availability: [],
  heal: 'clean',
  ended: 'complete',
};

test('the first line is the verdict and its reason; violations stand before what is legal; no text acts', () => {
  const lines = renderJudgement({ result }).split('\n');
  expect(lines[0]).toBe('FAIL 5 acked records missing: orders/2 offsets 5-9');
  const places = ['lost-write', 'recovered'].map((name) => lines.findIndex((line) => line.includes(name)));
  expect(places[0]).toBeGreaterThan(0);
  expect(places[1]).toBeGreaterThan(places[0] ?? 0);
  expect(lines.join('\n')).toContain('offsets 5-9');
  expect(lines.join('\n')).toContain('the replay ended early');
  expect(lines.join('\n')).toContain('longestGap 250 ms ≤ 100 ms: missed');
  expect(lines.join('\n')).not.toContain('\u001b');
});

test('a topic that was made for the run is called by its name in the scenario', () => {
  const topic = 'ackproof-2026-11-29T23-08-11Z-leader-kill-8d68-main-orders';
  const judgement = {
    ...result.judgement,
    because: `5 acked records missing: ${topic}/2 offsets 5-9`,
    findings: [{ ...finding('lost-write', false, 5), topic }],
  };
  const boundResults = [{ name: 'longestGap', limitMs: 100, state: 'no-samples', where: `${topic}/2` }] as const;
  const text = renderJudgement({ result: { ...result, judgement, boundResults } });
  expect(text).not.toContain('ackproof-');
  expect(text.split('\n')[0]).toBe('FAIL 5 acked records missing: orders/2 offsets 5-9');
  expect(text.match(/orders\/2/g)).toHaveLength(3);
});
