// What `ackproof judge` judges: a run directory, in which the part that decided the run is judged, or a text history. The
// same files give the same answer, whatever run.json says about it; run.json only tells the bounds and how the run ended.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, ERROR_KINDS, type ErrorKind, InputError } from '../errors.ts';
import type { Bounds } from './bounds.ts';
import { judge } from './judge.ts';
import { judgeRun } from './judge-run.ts';
import type { Judgement, RunResult } from './judgement.ts';
import { missingIn } from './missing-evidence.ts';
import { assertRunEntries } from './run-entries.ts';
import type { RunFacts } from './run-facts.ts';
import { assertNotNewer } from './run-format.ts';
import { readTextFile } from './text-file.ts';

/** What to do where run.json is damaged. */
const WHOLE_COPY = 'Take the run directory from a copy that is whole; `ackproof run` writes run.json at the end.';

export interface JudgedPath {
  readonly result: RunResult;
  /** What a program reads: the judgement's fields first, then what only a run directory knows. */
  readonly json: Readonly<Record<string, unknown>>;
  /** What a person should know about the files themselves, one sentence each. */
  readonly warnings: readonly string[];
}

const NEITHER =
  'Name a directory that `ackproof run` wrote, or a text history of one JSON document a line, whose name ends in .ndjson.';

/** A file that is no history from its first line on was named for something else, unless its name says what it is to be. */
const notARun = (path: string, thrown: unknown): unknown => {
  const isOther = thrown instanceof InputError && thrown.place?.line === 1 && !path.endsWith('.ndjson');
  if (!isOther) return thrown;
  const isScenario = /\.ya?ml$/u.test(path);
  const message = `${path} is neither a run directory nor a text history: ${thrown.message}`;
  const first = isScenario
    ? `A scenario is run first: ackproof run ${path}; then judge the run directory it names.`
    : NEITHER;
  return new InputError('NOT_A_RUN', message, { hint: first });
};

const historyIn = (path: string): RunFacts => {
  try {
    return readTextFile(path);
  } catch (thrown) {
    throw notARun(path, thrown);
  }
};

const ofText = (path: string): JudgedPath => {
  const judgement = judge(historyIn(path));
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

/** What run.json adds to the other files; foreign text until it is checked. */
interface RecordedEnd {
  readonly bounds: Bounds;
  readonly ended: RunResult['ended'];
  readonly trouble?: ErrorKind;
  /** Whether the run wrote its own end down. */
  readonly isWhole: boolean;
  /** What run.json names and the directory does not hold, with the names of the files. */
  readonly missing: readonly string[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const boundsIn = (value: unknown): Bounds => {
  if (!isObject(value)) return {};
  const { recoverWithinMs, longestGapMs } = value;
  return {
    ...(typeof recoverWithinMs === 'number' ? { recoverWithinMs } : {}),
    ...(typeof longestGapMs === 'number' ? { longestGapMs } : {}),
  };
};

const endIn = (written: unknown): RunResult['ended'] | undefined =>
  written === 'complete' || written === 'interrupted' || written === 'error' ? written : undefined;

/** The code of a run that was stopped by SIGTERM or SIGHUP: one that came to a result names no trouble. */
const TERMINATED = 143;

const troubleIn = (written: unknown, exitCode: unknown): Pick<RecordedEnd, 'trouble'> => {
  if (written === undefined && exitCode === TERMINATED) return { trouble: 'terminated' };
  const trouble = ERROR_KINDS.find((kind) => kind === written);
  return trouble === undefined ? {} : { trouble };
};

/** run.json, where there is one that can be read; a run that died early may have none. */
const readEnd = (directory: string): RecordedEnd => {
  const file = join(directory, 'run.json');
  if (!existsSync(file)) return { bounds: {}, ended: 'interrupted', isWhole: false, missing: [] };
  let record: unknown;
  try {
    record = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new InputError('RUN_RECORD_DAMAGED', 'run.json cannot be read.', {
      place: { file },
      cause,
      hint: WHOLE_COPY,
    });
  }
  if (!isObject(record))
    throw new InputError('RUN_RECORD_DAMAGED', 'run.json is no record.', {
      place: { file },
      hint: WHOLE_COPY,
    });
  const { formatVersion, bounds, ended, trouble, exitCode, parts } = record;
  assertNotNewer(formatVersion, file);
  const end = endIn(ended);
  const isWhole = end !== undefined;
  const missing = missingIn(directory, parts);
  return { bounds: boundsIn(bounds), ended: end ?? 'interrupted', ...troubleIn(trouble, exitCode), isWhole, missing };
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

/** A part that came before the main one can condemn the run, but never make it pass: what was to be broken never was. */
const asEarlierPart = ({ judgement, ...rest }: RunResult, prefix: string): RunResult => {
  if (judgement.verdict !== 'pass') {
    return { ...rest, judgement: { ...judgement, because: `${prefix}${judgement.because}` } };
  }
  const because = 'the run ended before its main part: nothing was broken yet';
  const inconclusiveBecause = [because, ...judgement.inconclusiveBecause];
  return { ...rest, judgement: { ...judgement, verdict: 'inconclusive', because, inconclusiveBecause } };
};

/** Files that are gone take a pass away, and stand before any other doubt; what was found is found without them. */
const without = (judgement: Judgement, missing: readonly string[]): Judgement => {
  const [first] = missing;
  if (first === undefined) return judgement;
  const inconclusiveBecause = [...missing, ...judgement.inconclusiveBecause];
  if (judgement.verdict === 'fail') return { ...judgement, inconclusiveBecause };
  return { ...judgement, verdict: 'inconclusive', because: first, inconclusiveBecause };
};

const ofRun = async (directory: string): Promise<JudgedPath> => {
  assertRunEntries(directory);
  const { bounds, ended, isWhole, trouble, missing } = readEnd(directory);
  const { place, prefix } = decidingPart(directory);
  const isMain = place === directory;
  const judged = await judgeRun(place, { bounds: isMain ? bounds : {}, ended });
  const { judgement: found, ...facts } = isMain ? judged : asEarlierPart(judged, prefix);
  const rest = { ...facts, ...(trouble === undefined ? {} : { trouble }) };
  const judgement = without(found, missing);
  const warnings = isWhole ? [] : ['The run did not come to its end; what it had written down until then is judged.'];
  return { result: { ...rest, judgement }, json: { ...judgement, ...rest }, warnings };
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
