// The report of one part: what run.json says of it, and what its own files add: the load over time, outages, leadership,
// evidence marks and the times of the passes.
import { join } from 'node:path';
import type { LeaderLine, TimelineLine } from '../ledger/history-lines.ts';
import type { FaultSummary, PartRecord, RunRecord } from '../ledger/run-record.ts';
import { readStorageLines } from '../ledger/storage-lines.ts';
import { type Attempt, readAttempts } from './attempts.ts';
import { type BoundarySources, boundarySources } from './boundary-sources.ts';
import { clusterChanges } from './cluster-changes.ts';
import { marksOf } from './evidence-marks.ts';
import { countWindow, loadSeries } from './load-series.ts';
import type { FaultReport, LeaderChange, PartReport, Prices } from './model.ts';
import { outagesOf } from './outages.ts';
import { timedPasses } from './pass-times.ts';
import { readTimelineLines } from './run-files.ts';
import { costOf, usageOf } from './storage-usage.ts';
import { withAliases, withAliasesIn } from './topic-alias.ts';
import { worstFirst } from './worst-first.ts';

/** More changes of leadership than this are no picture. */
const MOST_LEADERS = 500;

const intentOf = ({ id }: FaultSummary, lines: readonly TimelineLine[]): number | undefined =>
  lines.find((line) => line.t === 'fault' && line.id === id && line.edge === 'intent')?.at;

const faultReport = (summary: FaultSummary, lines: readonly TimelineLine[], load: readonly Attempt[]): FaultReport => {
  const intentAt = intentOf(summary, lines);
  const fault = { ...summary, ...(intentAt === undefined ? {} : { intentAt }) };
  const samples = lines.filter((line) => line.t === 'evidence');
  const marks = marksOf(fault, samples);
  const { appliedAt, healingAt } = fault;
  if (appliedAt === undefined) return { ...fault, marks };
  const counted = countWindow(load, appliedAt, healingAt ?? Number.POSITIVE_INFINITY);
  return { ackedInWindow: counted.acked, attemptedInWindow: counted.attempted, ...fault, marks };
};

const leaderChanges = (lines: readonly LeaderLine[]): readonly LeaderChange[] => {
  const seen = new Set<string>();
  return lines
    .filter(({ topic, partition, leader, epoch }) => {
      const key = JSON.stringify([topic, partition, leader, epoch]);
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    })
    .slice(0, MOST_LEADERS)
    .map(({ at, topic, partition, leader, epoch }) => ({ at, topic, partition, leader, epoch }));
};

const judged = (
  { result }: PartRecord,
  runId: string,
): Pick<PartReport, 'findings' | 'inconclusiveBecause'> &
  Partial<Pick<PartReport, 'verdict' | 'because' | 'examined' | 'ownership'>> => {
  if (result === undefined) return { inconclusiveBecause: [], findings: [] };
  const { verdict, because, examined, inconclusiveBecause, findings, ownership } = result.judgement;
  return {
    verdict,
    because: withAliases(because, runId),
    examined,
    inconclusiveBecause: withAliasesIn(inconclusiveBecause, runId),
    findings: worstFirst(withAliasesIn(findings, runId)),
    ...(ownership === undefined ? {} : { ownership: withAliasesIn(ownership, runId) }),
  };
};

/** What the gates say of the store, what it was asked and keeps, and what that costs by the reader's prices. */
const storageOf = (
  directory: string,
  { result }: PartRecord,
  prices: Prices | undefined,
): Partial<Pick<PartReport, 'gates' | 'usage'>> => {
  const usage = usageOf(readStorageLines(directory));
  const priced = usage === undefined || prices === undefined ? usage : { ...usage, cost: costOf(usage, prices) };
  const { gates } = result ?? {};
  return { ...(gates === undefined ? {} : { gates }), ...(priced === undefined ? {} : { usage: priced }) };
};

/** A part as the report tells it, and what only its files tell. */
export interface BuiltPart {
  readonly report: PartReport;
  readonly sources: BoundarySources;
}

/** Throws InputError when a file of the part was written by a newer version. */
export const buildPart = (runDirectory: string, record: RunRecord, part: PartRecord, prices?: Prices): BuiltPart => {
  const { runId } = record;
  const directory = join(runDirectory, part.directory);
  const lines = readTimelineLines(directory);
  const attempts = readAttempts(directory);
  const load = attempts?.load ?? [];
  const series = loadSeries(load);
  const faults = part.faults.map((fault) => faultReport(withAliasesIn(fault, runId), lines, load));
  const report: PartReport = {
    part: part.part,
    topic: part.topic,
    partitions: part.partitions,
    ...judged(part, runId),
    bounds: withAliasesIn(part.result?.boundResults ?? [], runId),
    availability: withAliasesIn(part.result?.availability ?? [], runId),
    phases: part.phases,
    faults,
    outages: withAliasesIn(outagesOf(part.result?.availability ?? [], load, attempts?.probes ?? []), runId),
    leaders: withAliasesIn(leaderChanges(lines.filter((line) => line.t === 'leader')), runId),
    changes: withAliasesIn(clusterChanges(lines.filter((line) => line.t === 'note')), runId),
    ...withAliasesIn(storageOf(directory, part, prices), runId),
    passes: timedPasses(directory, part.passes),
    ...(series === undefined ? {} : { load: series }),
  };
  return { report, sources: boundarySources(lines, attempts, part.topic, record.target.kind) };
};
