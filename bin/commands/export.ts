// `export`: a recorded run as the text history of docs/history.md.
import { once } from 'node:events';
import { isOutputGone } from '../streams.ts';
import { defineCommand } from './command.ts';

export const exportCommand = defineCommand(
  'export <run>',
  'write a run directory as a text history (NDJSON) on stdout',
  (argv) =>
    argv
      .positional('run', { type: 'string', demandOption: true, describe: 'a run directory' })
      .example('$0 export runs/… > history.ndjson', 'judge it anywhere with `ackproof judge history.ndjson`'),
  async ({ run }) => {
    const { exportRun } = await import('../../src/index.ts');
    for await (const line of exportRun(run)) {
      if (isOutputGone()) break;
      if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain').catch(() => undefined);
    }
    return 0;
  },
);
