// `status`: which runs are going on, and what dead ones left.
import { writeOut } from '../terminal.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

export const status = defineCommand(
  'status',
  'runs, active faults and leftovers on this machine',
  (argv) => argv.option('format', FORMAT_OPTION).example('$0 status', 'clean, or what is left and how to heal it'),
  async ({ format }) => {
    const { statusOfRuns, renderStatus } = await import('../../src/index.ts');
    const found = await statusOfRuns();
    writeOut(format === 'json' ? JSON.stringify(found, null, 2) : await renderStatus(found));
    return found.leftovers ? 4 : 0;
  },
);
