// The drills of one `run`, one after another: each is told as it ends, and all end in one summary. What one ends with does
// not take back what an earlier one has proved.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DrillEnding, Interruption, LoadedScenario, RunOutcome } from '../src/index.ts';
import { type ExitCode, exitCodeOfError, exitCodeOfResult, type FailOn, worstExitCode } from './exit-codes.ts';
import { failWith, reasonOf } from './failure.ts';
import { ProgressView } from './progress-view.ts';
import { plainText, screenOf, writeErr, writeOut } from './terminal.ts';
import { version } from './version.ts';

type Api = typeof import('../src/index.ts');

export interface DrillOptions {
  readonly out: string;
  /** Formats beside html. */
  readonly report: readonly string[];
  readonly defect: readonly string[];
  readonly failOn: readonly FailOn[];
  readonly logFormat: 'text' | 'json';
  readonly format: 'text' | 'json';
  readonly stopOnLoss: boolean;
  readonly keep: boolean;
  readonly maxBytes: number;
  /** Said by --yes. */
  readonly yes: boolean;
}

/** Where the summary goes in the formats of `--report`, below `--out`; the other formats are about one drill. */
const SUMMARY_FILES: Readonly<Record<string, string>> = {
  json: 'summary.json',
  junit: 'summary.junit.xml',
  markdown: 'summary.md',
  terminal: 'summary.txt',
};

/** Prints one run, unless it is going to be a part of one document. */
const print = async (api: Api, directory: string, options: DrillOptions, isAlone: boolean): Promise<void> => {
  if (options.format === 'json') {
    if (isAlone) writeOut(await api.renderReport(directory, 'json', {}));
    return;
  }
  const { colour, width } = screenOf(process.stdout);
  writeOut(await api.renderReport(directory, 'terminal', { colour, width }));
};

/** Writes the reports of one run and prints it: also where they cannot be written, which is thrown in the end. */
const tell = async (api: Api, directory: string, options: DrillOptions, isAlone: boolean): Promise<void> => {
  let files: readonly string[];
  try {
    files = await api.writeReports(directory, ['html', ...options.report]);
  } catch (thrown) {
    await print(api, directory, options, isAlone);
    throw thrown;
  }
  await print(api, directory, options, isAlone);
  if (options.format === 'text') writeOut(plainText(`report: ${files[0] ?? directory}`));
};

/** What went wrong after a verdict; it has decided no exit code, because what the verdict says comes before it. */
const tellTroubles = ({ troubles, result }: RunOutcome): void => {
  if (troubles.length === 0) return;
  for (const trouble of troubles) failWith(trouble);
  const { verdict, because } = result.judgement;
  writeErr(plainText(`The verdict stands all the same: ${verdict}: ${because}`));
};

interface Ended {
  readonly ending: DrillEnding;
  readonly codes: readonly ExitCode[];
}

const runOne = async (
  api: Api,
  loaded: LoadedScenario,
  options: DrillOptions,
  interruption: Interruption,
  isAlone: boolean,
): Promise<Ended> => {
  const view = new ProgressView(screenOf(process.stderr), options.logFormat, () => performance.now());
  const scenario = loaded.scenario.name;
  const codes: ExitCode[] = [];
  let ending: DrillEnding | undefined;
  try {
    const outcome = await api.runScenario(loaded, {
      out: options.out,
      defects: options.defect,
      stopOnLoss: options.stopOnLoss,
      keep: options.keep,
      maxBytes: options.maxBytes,
      consent: options.yes,
      toolVersion: version(),
      interruption,
      listener: view.take,
      exitCodeOfError,
      exitCodeOf: (result) => exitCodeOfResult(result, options.failOn, interruption.signal),
    });
    view.end();
    codes.push(outcome.exitCode as ExitCode);
    ending = { scenario, exitCode: outcome.exitCode, runDirectory: outcome.runDirectory };
    tellTroubles(outcome);
    await tell(api, outcome.runDirectory, options, isAlone);
  } catch (thrown) {
    view.end();
    const code = failWith(thrown);
    codes.push(code);
    ending ??= { scenario, exitCode: code, trouble: reasonOf(thrown) };
  }
  return { ending, codes };
};

/** Tells several drills together. */
const printSummary = async (api: Api, endings: readonly DrillEnding[], options: DrillOptions): Promise<void> => {
  const { colour, width } = screenOf(process.stdout);
  const text = await api.renderSummary(endings, options.format === 'json' ? 'json' : 'terminal', { colour, width });
  writeOut(options.format === 'json' ? text : `\n${text.trimEnd()}`);
};

/** Writes the summary in the formats of `--report`, of one drill as of several: a job finds the same files. */
const writeSummary = async (api: Api, endings: readonly DrillEnding[], options: DrillOptions): Promise<void> => {
  for (const format of new Set(options.report)) {
    const name = SUMMARY_FILES[format];
    if (name === undefined) continue;
    const file = join(options.out, name);
    const summary = await api.renderSummary(endings, format, {});
    try {
      writeFileSync(file, summary);
    } catch (cause) {
      const hint = 'Free some space, or see that the directory may be written to.';
      throw new api.EnvironmentError('SUMMARY_NOT_WRITTEN', `Cannot write ${file}.`, { cause, hint });
    }
    if (options.format === 'text') writeOut(plainText(`summary: ${file}`));
  }
};

const notRun = (loaded: LoadedScenario, exitCode: ExitCode): DrillEnding => ({
  scenario: loaded.scenario.name,
  exitCode,
  trouble: 'not run: the run was stopped before',
});

/** Runs all of `scenarios`; the exit code is that of the worst. */
export const runDrills = async (
  api: Api,
  scenarios: readonly LoadedScenario[],
  options: DrillOptions,
  interruption: Interruption,
): Promise<ExitCode> => {
  const codes: ExitCode[] = [];
  const endings: DrillEnding[] = [];
  const isAlone = scenarios.length === 1;
  for (const one of scenarios) {
    if (interruption.load.aborted) {
      const code = interruption.signal === 'SIGTERM' ? 143 : 130;
      codes.push(code);
      endings.push(notRun(one, code));
      continue;
    }
    const ended = await runOne(api, one, options, interruption, isAlone);
    codes.push(...ended.codes);
    endings.push(ended.ending);
  }
  try {
    if (!isAlone) await printSummary(api, endings, options);
    await writeSummary(api, endings, options);
  } catch (thrown) {
    codes.push(failWith(thrown));
  }
  return worstExitCode(codes);
};
