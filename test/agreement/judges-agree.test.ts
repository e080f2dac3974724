// Two judges, written apart from the same rules, say the same of random histories. The judge of src/ledger also says the same
// whether it looks at every record or only at suspects. AGREEMENT_HISTORIES sets how many histories, AGREEMENT_SEED the first.
import { describe, expect, it } from 'vitest';
import { environmentVariable } from '../../src/environment.ts';
import { InputError } from '../../src/errors.ts';
import { judgeText } from '../../src/ledger/judge.ts';
import type { Judgement } from '../../src/ledger/judgement.ts';
import { naiveJudge } from '../naive-judge/naive-judge.ts';
import { randomHistory } from '../naive-judge/random-history.ts';

const HISTORIES = Number(environmentVariable('AGREEMENT_HISTORIES') ?? 2000);
const FIRST_SEED = Number(environmentVariable('AGREEMENT_SEED') ?? 0);

interface Said {
  readonly verdict?: string;
  readonly ownership?: string | undefined;
  readonly findings?: readonly string[];
  readonly malformedLine?: number | undefined;
}

interface Comparable {
  readonly topic: string;
  readonly partition: number;
  readonly anomaly: string;
  readonly legal: boolean;
  readonly severity: string;
  readonly count: number;
}

const said = (verdict: string, findings: readonly Comparable[], ownership: string | undefined): Said => ({
  verdict,
  ownership,
  findings: findings
    .map(({ topic, partition, anomaly, legal, severity, count }) =>
      [topic, partition, anomaly, legal ? 'legal' : 'illegal', severity, count].join(' '),
    )
    .sort(),
});

const naive = (text: string): Said => {
  const judgement = naiveJudge(text);
  return 'line' in judgement
    ? { malformedLine: judgement.line }
    : said(judgement.verdict, judgement.findings, judgement.ownership);
};

const ours = (text: string, everyRecord: boolean): Said => {
  let judgement: Judgement;
  try {
    judgement = judgeText(text, 'random.ndjson', { everyRecord });
  } catch (thrown) {
    if (thrown instanceof InputError) return { malformedLine: thrown.place?.line };
    throw thrown;
  }
  return said(judgement.verdict, judgement.findings, judgement.ownership?.state);
};

describe('two judges written apart', () => {
  it(`agree on ${HISTORIES} random histories, at least 30 % of them illegal`, { timeout: 600_000 }, () => {
    const tally = new Map<string, number>();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
      const text = randomHistory(seed);
      const expected = naive(text);
      expect(ours(text, false), `seed ${seed}`).toEqual(expected);
      expect(ours(text, true), `seed ${seed}, every record`).toEqual(expected);
      const verdict = expected.verdict ?? 'malformed';
      tally.set(verdict, (tally.get(verdict) ?? 0) + 1);
    }
    expect(tally.get('fail') ?? 0).toBeGreaterThanOrEqual(0.3 * HISTORIES);
    for (const verdict of ['pass', 'inconclusive', 'malformed']) expect(tally.get(verdict) ?? 0).toBeGreaterThan(0);
  });
});
