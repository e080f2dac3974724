// `explain NAME`: one fault, anomaly, defect or exit code in a page.
import { EXIT_CODES } from '../exit-codes.ts';
import { writeOut } from '../terminal.ts';
import { defineCommand } from './command.ts';

export const explain = defineCommand(
  'explain <name>',
  'one fault, anomaly, defect or other name of `list`, in a page',
  (argv) =>
    argv
      .positional('name', { type: 'string', demandOption: true, describe: 'a name from `ackproof list …`' })
      .example('$0 explain lost-tail', 'what it means and what to look at next'),
  async ({ name }) => {
    const { explainName } = await import('../../src/index.ts');
    const exit = EXIT_CODES.find((entry) => String(entry.code) === name || entry.name === name);
    writeOut(exit === undefined ? await explainName(name) : `exit code ${exit.code}: ${exit.name}\n\n${exit.meaning}`);
    return 0;
  },
);
