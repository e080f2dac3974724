// From a run directory to a report model: reads, has the judge look again, arranges and words, and decides nothing.
import { resolve } from 'node:path';
import type { RunRecord } from '../ledger/run-record.ts';
import { boundariesOf, ungatedOf, unprovenOf } from './boundaries.ts';
import { buildPart } from './build-part.ts';
import { headlineOf } from './headline.ts';
import { judgeAgain } from './judge-again.ts';
import type { Outcome, Prices, ReportModel } from './model.ts';
import { REPORT_FORMAT } from './model.ts';
import { readRunRecord } from './run-files.ts';
import { leavesOpenOf, provesOf, recoveryPointOf, recoveryTimeOf } from './statements.ts';
import { withAliases } from './topic-alias.ts';

/** Builds the report of one run directory. Throws InputError when it is none, or newer than this version. */
export const buildModel = async (runDirectory: string, prices?: Prices): Promise<ReportModel> => {
  const directory = resolve(runDirectory);
  const record = await judgeAgain(directory, readRunRecord(directory));
  const built = record.parts.map((part) => buildPart(directory, record, part, prices));
  const parts = built.map(({ report }) => report);
  const judgeVersion = record.parts.at(-1)?.result?.judgement.judgeVersion;
  const facts = { ...record, outcome: outcomeOf(record), parts };
  const boundaries = boundariesOf(facts, built.at(-1)?.sources);
  return {
    headline: headlineOf(facts),
    formatVersion: REPORT_FORMAT,
    tool: record.tool,
    ...(judgeVersion === undefined ? {} : { judgeVersion }),
    runId: record.runId,
    scenario: record.scenario,
    target: record.target,
    contract: record.contract,
    workload: record.workload,
    defects: record.defects,
    baseline: record.baseline,
    seed: record.seed,
    environment: record.environment,
    wallStart: record.wallStart,
    ...(record.wallEnd === undefined ? {} : { wallEnd: record.wallEnd }),
    outcome: facts.outcome,
    parts,
    proves: provesOf(facts),
    leavesOpen: [...leavesOpenOf(facts), ...ungatedOf(facts), ...unprovenOf(boundaries)],
    recoveryPoint: recoveryPointOf(facts),
    recoveryTime: recoveryTimeOf(facts),
    boundaries,
    reproduce: record.reproduce,
  };
};

const unfinished = ({ ended }: RunRecord): string =>
  ended === 'running'
    ? 'the run did not end in order: ackproof was stopped before a verdict'
    : 'no verdict was reached';

const outcomeOf = (record: RunRecord): Outcome => {
  const result = record.parts.at(-1)?.result;
  return {
    verdict: record.verdict ?? 'error',
    because: withAliases(record.because ?? unfinished(record), record.runId),
    ...(result === undefined ? {} : { bounds: result.bounds }),
    heal: record.heal,
    ended: record.ended,
    ...(record.exitCode === undefined ? {} : { exitCode: record.exitCode }),
    errors: record.errors,
  };
};
