// The words of the command line: which cells, for how long, or only the page.
import { UsageError } from '../../src/errors.ts';
import { parseDuration } from '../../src/units.ts';
import type { Cell } from './result.ts';

export interface Options {
  /** Undefined = all. */
  readonly only: readonly string[] | undefined;
  /** What git calls the files to prove; default HEAD. */
  readonly commit: string;
  /** No drill is begun after this long, ms. */
  readonly budgetMs: number;
  /** Drills at the same time. */
  readonly atOnce: number;
  /** Write the page again and run nothing. */
  readonly pageOnly: boolean;
}

const USAGE =
  'npm run soundness -- [--only SCENARIO[:DEFECT|:none]]… [--budget 20m] [--at-once 2] [--commit HEAD] [--page]';

const usage = (message: string): UsageError => new UsageError('SOUNDNESS_USAGE', message, { hint: USAGE });

const durationOf = (written: string): number => {
  const reading = parseDuration(written);
  if (!reading.ok) throw usage(`--budget ${written}: ${reading.problem.message}`);
  return reading.value;
};

const countOf = (written: string): number => {
  if (!/^[1-9]\d?$/.test(written)) throw usage(`--at-once ${written}: a number of drills, 1 to 99.`);
  return Number(written);
};

export const readOptions = (words: readonly string[]): Options => {
  const only: string[] = [];
  const options = { commit: 'HEAD', budgetMs: Number.POSITIVE_INFINITY, atOnce: 2, pageOnly: false };
  const waiting = [...words];
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (word === '--page') {
      options.pageOnly = true;
      continue;
    }
    const value = waiting.shift();
    if (value === undefined) throw usage(`"${word}" is not understood, or lacks its value.`);
    if (word === '--only') only.push(value);
    else if (word === '--budget') options.budgetMs = durationOf(value);
    else if (word === '--at-once') options.atOnce = countOf(value);
    else if (word === '--commit') options.commit = value;
    else throw usage(`"${word}" is not understood.`);
  }
  return { ...options, only: only.length === 0 ? undefined : only };
};

/** Whether a cell is among those asked for: by its scenario, by `scenario:defect`, by `scenario:none`, or by `:defect`. */
export const isAskedFor = (only: Options['only'], { scenario, defect }: Cell): boolean =>
  only === undefined ||
  only.some((wanted) => {
    const [wantedScenario = '', wantedDefect] = wanted.split(':');
    const isScenario = wantedScenario === '' || wantedScenario === scenario;
    return isScenario && (wantedDefect === undefined || wantedDefect === (defect ?? 'none'));
  });
