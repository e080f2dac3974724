// The report as JUnit XML, for a CI system: the suite is the scenario; each fault confirmed, each fault healed, each invariant
// and each bound is a case. What is proved wrong is a failure; what is not proved, or broke, is an error. No case passes on
// the strength of a run that proves less than it should, and none is ever skipped.
import { markupText } from './escape.ts';
import { headlineParts } from './headline.ts';
import { checkedInvariants } from './invariants.ts';
import type { FaultReport, PartReport, ReportModel } from './model.ts';
import { mainPart } from './model.ts';
import {
  boundText,
  faultTimes,
  faultTitle,
  healWord,
  PART_NAMES,
  placeOf,
  rangesText,
  unconfirmedReason,
} from './words.ts';

interface Case {
  readonly name: string;
  readonly failure?: string;
  readonly error?: string;
  readonly detail?: string;
}

const confirmedCase = (fault: FaultReport): Case => {
  const name = `${faultTitle(fault)} (${fault.id}) is confirmed`;
  if (fault.confirmed) return { name };
  return { name, error: unconfirmedReason(fault) ?? 'it was not shown to bite', detail: faultTimes(fault) };
};

const healedCase = (fault: FaultReport): Case => {
  const name = `${faultTitle(fault)} (${fault.id}) is healed`;
  const word = healWord(fault);
  if (word === 'healed' || word === 'nothing to heal') return { name };
  return { name, error: fault.state === 'heal-failed' ? (fault.reason ?? word) : word };
};

/** Why a case that found nothing wrong still proves nothing; undefined when it does. */
const doubtOf = ({ outcome }: ReportModel, part: PartReport | undefined): string | undefined => {
  if (part?.verdict === undefined) return outcome.because;
  if (outcome.ended !== 'complete') return `the run ended as ${outcome.ended}`;
  return part.inconclusiveBecause[0];
};

const invariantCases = (part: PartReport | undefined, doubt: string | undefined): Case[] =>
  checkedInvariants(part?.findings ?? []).map(({ name, violations }) => {
    const [worst] = violations;
    if (worst === undefined) return doubt === undefined ? { name } : { name, error: `not proved: ${doubt}` };
    const detail = violations
      .map(
        (finding) =>
          `${finding.anomaly} × ${finding.count} ${placeOf(finding)} ${rangesText(finding)}: ${finding.rule}`,
      )
      .join('\n');
    return { name, failure: `${worst.anomaly} × ${worst.count} in ${placeOf(worst)} ${rangesText(worst)}`, detail };
  });

const boundCases = ({ bounds }: PartReport): Case[] =>
  bounds.map((bound) => {
    const name = `bound ${bound.name} is met`;
    if (bound.state === 'met') return { name };
    return bound.state === 'missed' ? { name, failure: boundText(bound) } : { name, error: boundText(bound) };
  });

const runCase = (model: ReportModel): Case => {
  const name = 'the run proves what it set out to';
  const { word, tone, reason } = headlineParts(model);
  const { inconclusiveBecause = [] } = mainPart(model) ?? {};
  const detail = [...model.outcome.errors, ...inconclusiveBecause].join('\n');
  if (tone === 'doubt' || word === 'HEAL FAILED') return { name, error: `${word} ${reason}`, detail };
  return inconclusiveBecause[0] === undefined ? { name } : { name, error: inconclusiveBecause[0], detail };
};

const quietCases = ({ parts }: ReportModel): Case[] =>
  parts
    .filter(({ part }) => part !== 'main')
    .map(({ part, verdict, because = 'no verdict' }) => {
      const name = `${PART_NAMES[part].toLowerCase()}, without a fault, passes`;
      if (verdict === 'pass') return { name };
      return verdict === 'fail' ? { name, failure: because } : { name, error: because };
    });

/** The cases of a run, those it was made for first. */
const casesOf = (model: ReportModel): readonly Case[] => {
  const part = mainPart(model);
  const faults = part?.faults ?? [];
  return [
    runCase(model),
    ...invariantCases(part, doubtOf(model, part)),
    ...faults.map(confirmedCase),
    ...faults.map(healedCase),
    ...(part === undefined ? [] : boundCases(part)),
    ...quietCases(model),
  ];
};

const lengthSeconds = ({ parts }: ReportModel): number => {
  const lengths = parts.map(({ phases }) => Math.max(0, ...phases.map(({ from, to = from }) => to)));
  return lengths.reduce((sum, ms) => sum + ms, 0) / 1000;
};

const outcomeElement = ({ failure, error, detail = '' }: Case): string => {
  const message = failure ?? error;
  if (message === undefined) return '';
  const element = failure === undefined ? 'error' : 'failure';
  const lines = detail.split('\n').map(markupText).join('\n');
  return `<${element} message="${markupText(message)}">${lines}</${element}>`;
};

/** One `testsuite` element: its lines, and what it counts. */
export interface Suite {
  readonly lines: readonly string[];
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly seconds: number;
}

const countsText = ({ tests, failures, errors, seconds }: Omit<Suite, 'lines'>): string =>
  `tests="${tests}" failures="${failures}" errors="${errors}" time="${seconds.toFixed(3)}"`;

const countsOf = (cases: readonly Case[], seconds: number): Omit<Suite, 'lines'> => ({
  tests: cases.length,
  failures: cases.filter(({ failure }) => failure !== undefined).length,
  errors: cases.filter(({ failure, error }) => failure === undefined && error !== undefined).length,
  seconds,
});

const caseLine = (one: Case, suite: string): string =>
  `    <testcase name="${markupText(one.name)}" classname="ackproof.${suite}" time="0">${outcomeElement(one)}</testcase>`;

/** The suite of one run. */
export const suiteOf = (model: ReportModel): Suite => {
  const cases = casesOf(model);
  const counts = countsOf(cases, lengthSeconds(model));
  const suite = markupText(model.scenario.name);
  const properties = {
    claim: model.scenario.claim,
    run: model.runId,
    seed: String(model.seed),
    reproduce: model.reproduce.run,
    judge: model.reproduce.judge,
  };
  const lines = [
    `  <testsuite name="${suite}" ${countsText(counts)} timestamp="${markupText(model.wallStart)}" hostname="${markupText(model.target.name)}">`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([name, value]) => `      <property name="${markupText(name)}" value="${markupText(value)}"/>`,
    ),
    '    </properties>',
    ...cases.map((one) => caseLine(one, suite)),
    '  </testsuite>',
  ];
  return { ...counts, lines };
};

/** The suite of a run that never came to a run directory: one case, an error. */
export const brokenSuite = (scenario: string, trouble: string): Suite => {
  const broken: Case = { name: 'the run proves what it set out to', error: trouble };
  const counts = countsOf([broken], 0);
  const suite = markupText(scenario);
  const lines = [`  <testsuite name="${suite}" ${countsText(counts)}>`, caseLine(broken, suite), '  </testsuite>'];
  return { ...counts, lines };
};

/** A whole file: `name` is the first thing that it says. */
export const suitesFile = (name: string, suites: readonly Suite[]): string => {
  const sum = (countOf: (suite: Suite) => number): number => suites.reduce((total, suite) => total + countOf(suite), 0);
  const counts = countsText({
    tests: sum(({ tests }) => tests),
    failures: sum(({ failures }) => failures),
    errors: sum(({ errors }) => errors),
    seconds: sum(({ seconds }) => seconds),
  });
  return [
    `<?xml version="1.0" encoding="UTF-8"?><testsuites name="${markupText(name)}" ${counts}>`,
    ...suites.flatMap(({ lines }) => lines),
    '</testsuites>',
    '',
  ].join('\n');
};

export const renderJunit = (model: ReportModel): string => suitesFile(model.headline, [suiteOf(model)]);
