// `plan`: what `run` would do to whom, phase by phase; changes nothing. A cluster that runs whatever happens is looked at;
// where it cannot be, the rest of the plan is told all the same, and the exit code is that of a run, which could not begin.
import { exitCodeOfError } from '../exit-codes.ts';
import { plainText, writeOut } from '../terminal.ts';
import { defineCommand, FORMAT_OPTION } from './command.ts';

export const plan = defineCommand(
  'plan <scenario>',
  'what a run would do, to whom, for how long; changes nothing',
  (argv) =>
    argv
      .positional('scenario', { type: 'string', demandOption: true, describe: 'a scenario file' })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'a target file or kind instead of the scenario’s own',
      })
      .option('seed', { type: 'number', requiresArg: true, describe: 'decides the victims' })
      .option('format', FORMAT_OPTION)
      .example('$0 plan scenarios/leader-kill.yaml', 'parts, faults, their victims and proofs, and for how long'),
  async ({ scenario, target, seed, format }) => {
    const { loadScenario, lookAtCluster, planOf, renderLook, renderPlan } = await import('../../src/index.ts');
    const loaded = await loadScenario(scenario, {
      ...(target === undefined ? {} : { target }),
      ...(seed === undefined ? {} : { seed }),
    });
    const planned = await planOf(loaded);
    const cluster = await lookAtCluster(loaded);
    const code = cluster !== undefined && 'trouble' in cluster ? exitCodeOfError(cluster.kind) : 0;
    if (format === 'json') {
      writeOut(JSON.stringify(cluster === undefined ? planned : { ...planned, cluster }, null, 2));
      return code;
    }
    if (cluster !== undefined) writeOut(plainText(await renderLook(cluster)));
    writeOut(await renderPlan(planned));
    return code;
  },
);
