// The random histories are worth comparing judges on: many are illegal, and every anomaly is in them, each often enough.
import { expect, test } from 'vitest';
import type { Anomaly } from '../../src/vocabulary.ts';
import { naiveJudge } from './naive-judge.ts';
import { JUDGED_ANOMALIES } from './random/plan.ts';
import { randomHistory } from './random-history.ts';

const SEEDS = 2000;
const judgements = Array.from({ length: SEEDS }, (_, seed) => naiveJudge(randomHistory(seed)));

/** How many histories have a finding of this kind, legal or illegal by the contract. */
const histogram = (anomaly: Anomaly): number =>
  judgements.filter(
    (judgement) => 'verdict' in judgement && judgement.findings.some((found) => found.anomaly === anomaly),
  ).length;

test('the same seed gives the same history, another one another', () => {
  expect(randomHistory(7)).toBe(randomHistory(7));
  expect(randomHistory(7)).not.toBe(randomHistory(8));
});

test('at least 30 % of the histories are illegal, and at least 15 % pass', () => {
  const verdicts = judgements.map((judgement) => ('verdict' in judgement ? judgement.verdict : 'malformed'));
  expect(verdicts.filter((verdict) => verdict === 'fail').length).toBeGreaterThan(SEEDS * 0.3);
  expect(verdicts.filter((verdict) => verdict === 'pass').length).toBeGreaterThan(SEEDS * 0.15);
});

test('a few histories are malformed', () => {
  const malformed = judgements.filter((judgement) => 'exit' in judgement).length;
  expect(malformed).toBeGreaterThan(SEEDS * 0.01);
  expect(malformed).toBeLessThan(SEEDS * 0.06);
});

test('every anomaly that the rules name is found in at least 1 % of the histories', () => {
  const rare = JUDGED_ANOMALIES.map((anomaly) => [anomaly, histogram(anomaly)] as const).filter(
    ([, count]) => count < SEEDS * 0.01,
  );
  expect(rare).toEqual([]);
});
