// Every judged history of test/cases: our judge says what the case demands, no more and no less.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { judgeText } from '../../src/ledger/judge.ts';

const CASES = new URL('../cases/', import.meta.url);
const names = readdirSync(CASES)
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length))
  .sort();

interface ExpectedFinding {
  readonly anomaly: string;
  readonly legal: boolean;
  readonly severity: string;
  readonly topic: string;
  readonly partition: number;
  readonly count: number;
}
interface Expected {
  readonly claim: string;
  readonly verdict?: string;
  readonly findings?: readonly ExpectedFinding[];
  readonly ownership?: string;
  readonly line?: number;
}

const compared = ({ anomaly, legal, severity, topic, partition, count }: ExpectedFinding): string =>
  JSON.stringify({ topic, partition, anomaly, legal, severity, count });

const lineOf = (text: string, file: string): number | undefined => {
  try {
    judgeText(text, file);
  } catch (thrown) {
    if (thrown instanceof InputError) return thrown.place?.line;
    throw thrown;
  }
  return undefined;
};

describe('the judged histories', () => {
  it('are all there', () => {
    expect(names.length).toBeGreaterThan(150);
  });

  for (const name of names) {
    const text = readFileSync(new URL(`${name}.ndjson`, CASES), 'utf8');
    const expected = JSON.parse(readFileSync(new URL(`${name}.expected.json`, CASES), 'utf8')) as Expected;

    it(`${name}: ${expected.claim}`, () => {
      if (expected.line !== undefined) {
        expect(lineOf(text, `${name}.ndjson`)).toBe(expected.line);
        return;
      }
      for (const everyRecord of [false, true]) {
        const judgement = judgeText(text, `${name}.ndjson`, { everyRecord });
        expect(judgement.findings.map(compared).sort()).toEqual((expected.findings ?? []).map(compared).sort());
        expect(judgement.verdict).toBe(expected.verdict);
        if (expected.ownership !== undefined) expect(judgement.ownership?.state).toBe(expected.ownership);
      }
    });
  }
});
