// `list KIND`: the registries, as tables.
import { EXIT_CODES } from '../exit-codes.ts';
import { writeOut } from '../terminal.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

const KINDS = ['anomalies', 'clients', 'defects', 'exit-codes', 'faults', 'reports', 'targets'] as const;

export const list = defineCommand(
  'list <kind>',
  `list what there is: ${KINDS.join(', ')}`,
  (argv) =>
    argv
      .positional('kind', { choices: KINDS, demandOption: true, describe: 'what to list' })
      .option('format', FORMAT_OPTION)
      .example('$0 list faults', 'every fault with its one-sentence summary'),
  async ({ kind, format }) => {
    const { catalogue } = await import('../../src/index.ts');
    const entries =
      kind === 'exit-codes'
        ? EXIT_CODES.map(({ code, name, meaning }) => ({ name: String(code), summary: `${name}: ${meaning}` }))
        : await catalogue(kind);
    if (format === 'json') writeOut(JSON.stringify(entries, null, 2));
    else {
      const width = Math.max(...entries.map(({ name }) => name.length));
      writeOut(entries.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`).join('\n'));
    }
    return 0;
  },
);
