// The summary of several drills, as one document in each format that a program or a person may want at the end of a `run`.
import { suggestName, UsageError } from '../errors.ts';
import { COLOURS, painter } from './colours.ts';
import { markdownText, safeJson, visible } from './escape.ts';
import { brokenSuite, suiteOf, suitesFile } from './junit.ts';
import { REPORT_FORMAT, type RenderOptions } from './model.ts';
import { buildSummary, type DrillEnding, type RunSummary } from './summary.ts';

const WORD_WIDTH = 13;

const terminal = ({ headline, tone, drills }: RunSummary, { colour = false }: RenderOptions): string => {
  const paint = painter(colour);
  const lines = drills.flatMap(({ scenario, word, tone: own, reason, runDirectory }) => [
    `${paint(word.padEnd(WORD_WIDTH), COLOURS[own])} ${visible(`${scenario}: ${reason}`)}`,
    ...(runDirectory === undefined ? [] : [`${' '.repeat(WORD_WIDTH)} ${visible(runDirectory)}`]),
  ]);
  return `${[paint(visible(headline), `1;${COLOURS[tone]}`), '', ...lines].join('\n')}\n`;
};

/** One document: `runs` holds each drill's whole report. */
const json = ({ headline, drills }: RunSummary): string => {
  const runs = drills.map(({ scenario, word, reason, exitCode, runDirectory, report }) => ({
    headline: `${word} ${reason}`,
    scenario,
    exitCode,
    ...(runDirectory === undefined ? {} : { runDirectory }),
    ...(report === undefined ? {} : { report }),
  }));
  return `${safeJson({ headline, formatVersion: REPORT_FORMAT, runs })}\n`;
};

const junit = ({ headline, drills }: RunSummary): string =>
  suitesFile(
    headline,
    drills.map(({ scenario, reason, report }) =>
      report === undefined ? brokenSuite(scenario, reason) : suiteOf(report),
    ),
  );

const markdown = ({ headline, drills }: RunSummary): string => {
  const rows = drills.map(({ scenario, word, reason, exitCode, runDirectory = '' }) =>
    [word, scenario, reason, String(exitCode), runDirectory].map(markdownText),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const head = ['Result', 'Scenario', 'Reason', 'Exit', 'Run'];
  return [`# ${markdownText(headline)}`, '', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
};

const FORMATS = { json, junit, markdown, terminal } as const;

/** The formats a summary can be written in, sorted. */
export const SUMMARY_FORMATS = Object.keys(FORMATS) as readonly (keyof typeof FORMATS)[];

/**
 * Several drills as one document, in the order they were run. Throws UsageError for an unknown format, InputError where a run
 * directory is none.
 */
export const renderSummary = async (
  endings: readonly DrillEnding[],
  format: string,
  options: RenderOptions = {},
): Promise<string> => {
  const known = SUMMARY_FORMATS.find((name) => name === format);
  if (known === undefined) {
    const message = `There is no summary in the format "${format}".`;
    throw new UsageError('SUMMARY_UNKNOWN_FORMAT', message, { hint: suggestName(format, SUMMARY_FORMATS) });
  }
  return FORMATS[known](await buildSummary(endings), options);
};
