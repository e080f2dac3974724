// What `ackproof judge` judges: a run directory, in which the part that decided the run is judged, or a text history. The
// same files give the same answer, whatever run.json says about it; run.json only tells the bounds and how the run ended.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, InputError } from '../errors.ts';
import { judgeText } from './judge.ts';
import { judgeRun } from './judge-run.ts';
import type { RunResult } from './judgement.ts';
import { RUN_RECORD_FORMAT, type RunRecord } from './run-record.ts';

export interface JudgedPath {
  readonly result: RunResult;
  /** What a program reads: the judgement's fields first, then what only a run directory knows. */
  readonly json: Readonly<Record<string, unknown>>;
  /** What a person should know about the files themselves, one sentence each. */
  readonly warnings: readonly string[];
}

const ofText = (path: string): JudgedPath => {
  const judgement = judgeText(readFileSync(path, 'utf8'), path);
  const result: RunResult = {
    formatVersion: 1,
    judgement,
    bounds: 'met',
    boundResults: [],
    availability: [],
    heal: 'clean',
    ended: 'complete',
  };
  return { result, json: { ...judgement }, warnings: [] };
};

/** run.json, where there is one that can be read; a run that died early may have none. */
const readRecord = (directory: string): RunRecord | undefined => {
  const file = join(directory, 'run.json');
  if (!existsSync(file)) return undefined;
  let record: Partial<RunRecord>;
  try {
    record = JSON.parse(readFileSync(file, 'utf8')) as Partial<RunRecord>;
  } catch (cause) {
    throw new InputError('RUN_RECORD_DAMAGED', 'run.json cannot be read.', { place: { file }, cause });
  }
  if (typeof record.formatVersion === 'number' && record.formatVersion > RUN_RECORD_FORMAT) {
    throw new InputError(
      'RUN_FROM_NEWER_VERSION',
      `This run was written by a newer ackproof (format ${record.formatVersion}).`,
      {
        place: { file },
        hint: 'Judge it with that version or a later one.',
      },
    );
  }
  return record as RunRecord;
};

/** The part that decided the run: main, or the earlier part at which it stopped. */
const decidingPart = (directory: string): { readonly place: string; readonly prefix: string } => {
  if (existsSync(join(directory, 'contract.json'))) return { place: directory, prefix: '' };
  const parts = [
    { name: 'control', prefix: 'without any fault, in the control run: ' },
    { name: 'preflight', prefix: 'without any fault, in the honesty check: ' },
  ];
  const found = parts.find(({ name }) => existsSync(join(directory, name, 'contract.json')));
  if (found !== undefined) return { place: join(directory, found.name), prefix: found.prefix };
  throw new InputError('NOT_A_RUN', `There is no recorded run in ${directory}.`, {
    hint: 'Name a run directory of ackproof, or a text history that ends in .ndjson.',
  });
};

const ofRun = async (directory: string): Promise<JudgedPath> => {
  const record = readRecord(directory);
  const { place, prefix } = decidingPart(directory);
  const isMain = place === directory;
  const ended = record?.ended === 'running' ? 'interrupted' : (record?.ended ?? 'interrupted');
  const judged = await judgeRun(place, { bounds: isMain ? (record?.bounds ?? {}) : {}, ended });
  const because =
    judged.judgement.verdict === 'pass' ? judged.judgement.because : `${prefix}${judged.judgement.because}`;
  const result: RunResult = { ...judged, judgement: { ...judged.judgement, because } };
  const { judgement, ...rest } = result;
  const warnings =
    record === undefined || record.ended === 'running'
      ? ['The run did not come to its end; what it had written down until then is judged.']
      : [];
  return { result, json: { ...judgement, ...rest }, warnings };
};

/**
 * Judges a run directory or a text history.
 * @throws InputError for what is neither, or malformed, or newer (exit 65); EnvironmentError when it cannot be read (exit 69).
 */
export const judgePath = async (path: string): Promise<JudgedPath> => {
  let isDirectory: boolean;
  try {
    isDirectory = statSync(path).isDirectory();
  } catch (cause) {
    throw new EnvironmentError('FILE_UNREADABLE', `${path} cannot be read.`, { cause, hint: 'Check the path.' });
  }
  return isDirectory ? await ofRun(path) : ofText(path);
};
