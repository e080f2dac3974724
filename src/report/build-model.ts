// From a run directory to a report model: reads, arranges and words, and decides nothing.
import { resolve } from 'node:path';
import type { PartRecord, RunRecord } from '../ledger/run-record.ts';
import type { Outcome, PartReport, ReportModel } from './model.ts';
import { REPORT_FORMAT } from './model.ts';
import { readRunRecord } from './run-files.ts';
import { worstFirst } from './worst-first.ts';

/** Builds the report of one run directory. Throws InputError when it is none, or newer than this version. */
export const buildModel = (runDirectory: string): ReportModel => {
  const directory = resolve(runDirectory);
  const record = readRunRecord(directory);
  const parts = record.parts.map(partReport);
  const judgeVersion = record.parts.at(-1)?.result?.judgement.judgeVersion;
  return {
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
    outcome: outcomeOf(record),
    parts,
    proves: [],
    leavesOpen: [],
    recoveryPoint: '',
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
    because: record.because ?? unfinished(record),
    ...(result === undefined ? {} : { bounds: result.bounds }),
    heal: record.heal,
    ended: record.ended,
    ...(record.exitCode === undefined ? {} : { exitCode: record.exitCode }),
    errors: record.errors,
  };
};

const partReport = (part: PartRecord): PartReport => {
  const { result } = part;
  const judgement = result?.judgement;
  return {
    part: part.part,
    topic: part.topic,
    partitions: part.partitions,
    ...(judgement === undefined
      ? {}
      : { verdict: judgement.verdict, because: judgement.because, examined: judgement.examined }),
    inconclusiveBecause: judgement?.inconclusiveBecause ?? [],
    findings: worstFirst(judgement?.findings ?? []),
    bounds: result?.boundResults ?? [],
    availability: result?.availability ?? [],
    phases: part.phases,
    faults: part.faults.map((fault) => ({ ...fault, marks: [] })),
    outages: [],
    leaders: [],
    passes: part.passes,
  };
};
