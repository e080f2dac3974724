// The JUnit file as a CI system reads it: counts, failures and errors by verdict, and no case that passes without proof.
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { renderJunit } from '../../src/report/junit.ts';
import type { ReportModel } from '../../src/report/model.ts';
import { BROKEN, completed, SAMPLES } from './sample-models.ts';

interface Case {
  readonly name: string;
  readonly failure?: unknown;
  readonly error?: unknown;
}
interface Suite {
  readonly name: string;
  readonly tests: string;
  readonly failures: string;
  readonly errors: string;
  readonly testcase: readonly Case[];
}

const read = (model: ReportModel): Suite => {
  const xml = renderJunit(model);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => name === 'testcase',
  });
  return (parser.parse(xml, true) as { testsuites: { testsuite: Suite } }).testsuites.testsuite;
};

const named = (suite: Suite, part: string): Case | undefined => suite.testcase.find(({ name }) => name.includes(part));

describe.each(Object.entries({ ...SAMPLES, broken: BROKEN }))('%s', (_name, model) => {
  test('the counts are those of the cases, and the suite is the scenario', () => {
    const suite = read(model);
    expect(suite.name).toBe('leader-kill');
    expect(Number(suite.tests)).toBe(suite.testcase.length);
    expect(Number(suite.failures)).toBe(suite.testcase.filter(({ failure }) => failure !== undefined).length);
    expect(Number(suite.errors)).toBe(suite.testcase.filter(({ error }) => error !== undefined).length);
  });
});

test('a pass has neither failures nor errors, and a case for each fault, invariant and bound', () => {
  const suite = read(SAMPLES.pass);
  expect([suite.failures, suite.errors]).toEqual(['0', '0']);
  for (const part of ['is confirmed', 'is healed', 'no acknowledged record is lost', 'recoverWithin', 'longestGap'])
    expect(named(suite, part)).toBeDefined();
});

test('a violation and a missed bound are failures', () => {
  const suite = read(SAMPLES.fail);
  expect(named(suite, 'no acknowledged record is lost')?.failure).toBeDefined();
  expect(named(suite, 'recoverWithin')?.failure).toBeDefined();
  expect(suite.errors).toBe('0');
});

test('a violation that belongs to no named invariant still fails a case', () => {
  const [first, second, main] = SAMPLES.fail.parts;
  if (first === undefined || second === undefined || main === undefined) throw new Error('the sample has three parts');
  const findings = main.findings.map((finding) => ({ ...finding, anomaly: 'clock-jump' as const }));
  const suite = read(completed({ ...SAMPLES.fail, parts: [first, second, { ...main, findings }] }));
  expect(named(suite, 'nothing else')?.failure).toBeDefined();
});

test('an inconclusive run has errors and proves no invariant', () => {
  const suite = read(SAMPLES.inconclusive);
  expect(suite.failures).toBe('0');
  expect(named(suite, 'is confirmed')?.error).toBeDefined();
  expect(named(suite, 'no acknowledged record is lost')?.error).toBeDefined();
});

test('a run that was interrupted, or broke, passes no invariant', () => {
  for (const model of [SAMPLES.interrupted, BROKEN]) {
    const suite = read(model);
    expect(Number(suite.errors)).toBeGreaterThan(0);
    expect(named(suite, 'no acknowledged record is lost')?.error).toBeDefined();
  }
});

test('a heal that failed is an error, whatever the verdict', () => {
  const suite = read(completed({ ...SAMPLES.pass, outcome: { ...SAMPLES.pass.outcome, heal: 'failed', exitCode: 4 } }));
  expect(Number(suite.errors)).toBeGreaterThan(0);
});
