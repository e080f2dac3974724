// `judge`: the verdict again, from the recorded files alone.
import { exitCodeOfResult } from '../exit-codes.ts';
import { writeErr, writeOut } from '../terminal.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

export const judge = defineCommand(
  'judge <path>',
  'judge a run directory or a text history again; needs no cluster',
  (argv) =>
    argv
      .positional('path', { type: 'string', demandOption: true, describe: 'a run directory, or FILE.ndjson' })
      .option('format', FORMAT_OPTION)
      .example('$0 judge runs/2026-11-29T16-04-11Z-leader-kill-7f3a', 'the same verdict, on any machine')
      .example('$0 judge history.ndjson --format json', 'a history somebody else recorded'),
  async ({ path, format }) => {
    const { judgePath, renderJudgement } = await import('../../src/index.ts');
    const judged = await judgePath(path);
    for (const warning of judged.warnings) writeErr(warning);
    writeOut(format === 'json' ? JSON.stringify(judged.json, null, 2) : await renderJudgement(judged));
    return exitCodeOfResult(judged.result);
  },
);
