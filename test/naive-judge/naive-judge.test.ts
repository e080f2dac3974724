// The naive judge agrees with every hand-made case. The cases are the contract that it shares with the shipped judge.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type NaiveJudgement, naiveJudge } from './naive-judge.ts';

const CASES = new URL('../cases/', import.meta.url);

interface Expected {
  readonly claim: string;
}

const names = readdirSync(CASES)
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length));

const expectedOf = (name: string): { claim: string; judgement: NaiveJudgement } => {
  const text = readFileSync(new URL(`${name}.expected.json`, CASES), 'utf8');
  const { claim, ...judgement } = JSON.parse(text) as Expected & NaiveJudgement;
  return { claim, judgement };
};

describe('the judged cases', () => {
  test('are all there', () => {
    expect(names.length).toBeGreaterThanOrEqual(161);
  });

  test.each(names)('%s', (name) => {
    const { claim, judgement } = expectedOf(name);
    const history = readFileSync(new URL(`${name}.ndjson`, CASES), 'utf8');
    // The gate on ownership is compared where the case is about it.
    const naive = naiveJudge(history);
    const gate = 'ownership' in naive && !('ownership' in judgement) ? { ownership: naive.ownership } : {};
    expect(naive, claim).toEqual({ ...judgement, ...gate });
  });
});
