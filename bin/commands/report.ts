// `report`: render a recorded run again, in any format. The exit code is 0 when the report was written: it is the run's
// verdict that blocks a merge, never its rendering.
import { writeFileSync } from 'node:fs';
import { screenOf, writeErr, writeOut } from '../terminal.ts';
import { defineCommand } from './command.ts';

export const report = defineCommand(
  'report <run>',
  'render a run directory again',
  (argv) =>
    argv
      .positional('run', { type: 'string', demandOption: true, describe: 'a run directory' })
      .option('format', {
        type: 'string',
        requiresArg: true,
        default: 'terminal',
        describe: 'see `ackproof list reports`',
      })
      .option('out', { type: 'string', requiresArg: true, describe: 'a file instead of stdout' })
      .option('prices', {
        type: 'string',
        requiresArg: true,
        describe: 'a file with your prices for what the object store was asked and keeps',
      })
      .example('$0 report runs/… --format html --out report.html', 'one self-contained file'),
  async ({ run, format, out, prices }) => {
    const { EnvironmentError, readPriceFile, renderReport } = await import('../../src/index.ts');
    const screen = screenOf(process.stdout);
    const text = await renderReport(run, format, {
      colour: out === undefined && screen.colour,
      width: screen.width,
      ...(prices === undefined ? {} : { prices: await readPriceFile(prices) }),
    });
    if (out === undefined) writeOut(text);
    else {
      try {
        writeFileSync(out, text);
      } catch (cause) {
        const hint = 'Name a file in a folder that is there and may be written to.';
        throw new EnvironmentError('REPORT_NOT_WRITTEN', `Cannot write ${out}.`, { cause, hint });
      }
      writeErr(out);
    }
    return 0;
  },
);
