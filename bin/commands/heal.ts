// `heal`: put back what a dead run left, from its journal and from what is found on this machine.
import { writeOut } from '../terminal.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

export const heal = defineCommand(
  'heal',
  'undo what a dead run left behind',
  (argv) =>
    argv
      .option('run', { type: 'string', requiresArg: true, describe: 'one run id' })
      // Without a default: yargs takes one for something that was said, and then it is in conflict with --run.
      .option('all', { type: 'boolean', describe: 'every run found on this machine' })
      .option('dry-run', { type: 'boolean', default: false, describe: 'say what would be undone, change nothing' })
      .option('format', FORMAT_OPTION)
      .conflicts('run', 'all')
      .example('$0 heal --all', 'as a last step of a CI job, with `if: always()`'),
  async ({ run, all, format, ...rest }) => {
    const { healRuns, renderHeal, UsageError } = await import('../../src/index.ts');
    if (run === undefined && all !== true)
      throw new UsageError('HEAL_WHICH', 'Name a run with --run ID, or heal all with --all.');
    const healed = await healRuns({ ...(run === undefined ? {} : { runId: run }), dryRun: rest['dry-run'] });
    writeOut(format === 'json' ? JSON.stringify(healed, null, 2) : await renderHeal(healed));
    return healed.clean ? 0 : 4;
  },
);
