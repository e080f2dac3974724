// A report says what the files of a run say: each part is judged again, and run.json is believed only where it says the same.
// Where it does not, somebody changed one of the two (or another version judged it), and no report calls that a pass.
import { join } from 'node:path';
import { describeError, InputError } from '../errors.ts';
import { judgeRun } from '../ledger/judge-run.ts';
import type { Judgement, RunResult } from '../ledger/judgement.ts';
import { missingOf } from '../ledger/missing-evidence.ts';
import type { PartRecord, RunRecord } from '../ledger/run-record.ts';
import type { Verdict } from '../vocabulary.ts';
import { withShortTexts } from './run-files.ts';

interface JudgedPart {
  readonly part: PartRecord;
  /** What run.json and the files of the part do not say alike, in a sentence. */
  readonly contradiction?: string;
}

/** What two judgements of the same files must have in common, whatever words they use. */
const essence = ({ judgement, bounds, heal }: RunResult): string =>
  JSON.stringify({
    verdict: judgement.verdict,
    findings: judgement.findings.map(({ anomaly, legal, severity, topic, partition, count }) => [
      anomaly,
      legal,
      severity,
      topic,
      partition,
      count,
    ]),
    examined: judgement.examined,
    bounds,
    heal,
  });

/** A contradiction takes a pass away and leaves a failure. */
const contradicted = (judgement: Judgement, because: string): Judgement => ({
  ...judgement,
  verdict: judgement.verdict === 'fail' ? 'fail' : 'inconclusive',
  because,
  inconclusiveBecause: [because, ...judgement.inconclusiveBecause],
});

/** The run may have put words before the reason, such as the part it was found in. */
const reasonOf = (recorded: string, judged: string): string => (recorded.endsWith(judged) ? recorded : judged);

const contradictionOf = (name: string, recorded: RunResult, judged: RunResult): string => {
  const { verdict, because } = judged.judgement;
  return recorded.judgement.verdict === verdict
    ? `run.json and the files of the ${name} part give different reasons for "${verdict}"; the files: ${because}`
    : `run.json says "${recorded.judgement.verdict}" of the ${name} part, but its files say "${verdict}": ${because}`;
};

const judgePart = async (runDirectory: string, record: RunRecord, part: PartRecord): Promise<JudgedPart> => {
  const recorded = part.result;
  if (recorded === undefined) return { part };
  const bounds = part.part === 'main' ? record.bounds : {};
  let judged: RunResult;
  try {
    const directory = join(runDirectory, part.directory);
    judged = withShortTexts(await judgeRun(directory, { bounds, ended: recorded.ended }));
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const contradiction = `the files of the ${part.part} part cannot be judged again: ${describeError(thrown)}`;
    const result = { ...recorded, judgement: contradicted(recorded.judgement, contradiction) };
    return { part: { ...part, result }, contradiction };
  }
  const missing = missingOf(runDirectory, part);
  if (missing !== undefined) {
    return {
      part: { ...part, result: { ...judged, judgement: contradicted(judged.judgement, missing) } },
      contradiction: missing,
    };
  }
  if (essence(judged) === essence(recorded)) {
    const judgement = { ...judged.judgement, because: reasonOf(recorded.judgement.because, judged.judgement.because) };
    return { part: { ...part, result: { ...judged, judgement } } };
  }
  const contradiction = contradictionOf(part.part, recorded, judged);
  const result = { ...judged, judgement: contradicted(judged.judgement, contradiction) };
  return { part: { ...part, result }, contradiction };
};

/** The verdict of run.json must be that of the part that decided the run. */
const verdictContradiction = (verdict: Verdict, deciding: RunResult | undefined): readonly string[] => {
  if (deciding === undefined) return [`run.json says "${verdict}", but no part of the run was judged`];
  const { verdict: judged, because } = deciding.judgement;
  if (judged === verdict) return [];
  return [`run.json says "${verdict}", but the files of the run say "${judged}": ${because}`];
};

/** What run.json says of the whole run, held against its judged parts. */
const concluded = (record: RunRecord, parts: readonly PartRecord[], contradictions: readonly string[]): RunRecord => {
  const deciding = parts.at(-1)?.result;
  const heal = deciding?.heal === 'failed' ? 'failed' : record.heal;
  const { verdict, because = '' } = record;
  if (verdict === undefined) return { ...record, heal, parts };
  const told = contradictions.length > 0 ? contradictions : verdictContradiction(verdict, deciding);
  const judgement = deciding?.judgement;
  if (told.length === 0 && judgement !== undefined) {
    return { ...record, heal, parts, because: reasonOf(because, judgement.because) };
  }
  const remaining = judgement?.verdict === 'fail' ? 'fail' : 'inconclusive';
  return { ...record, heal, parts, verdict: remaining, because: told.join('; ') };
};

/** The record of a run with each part judged from its own files; `because` says what run.json and they do not say alike. */
export const judgeAgain = async (runDirectory: string, record: RunRecord): Promise<RunRecord> => {
  const judged: JudgedPart[] = [];
  for (const part of record.parts) judged.push(await judgePart(runDirectory, record, part));
  const contradictions = judged.flatMap(({ contradiction }) => contradiction ?? []);
  return concluded(
    record,
    judged.map(({ part }) => part),
    contradictions,
  );
};
