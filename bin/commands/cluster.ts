// `cluster up`: the embedded cluster by itself, for trying things by hand. It lives as long as this command; `cluster down`
// ends one that runs in another terminal or was left behind.
import { once } from 'node:events';
import { writeErr, writeOut } from '../terminal.ts';
import { defineCommand } from './command.ts';

/** The compiler leaves an `import()` as it is where `await using` stands in the same function, so it has one of its own. */
const load = async (): Promise<typeof import('../../src/index.ts')> => await import('../../src/index.ts');

const up = async (brokers: number, defects: readonly string[]): Promise<number> => {
  const { startCluster } = await load();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  await using cluster = await startCluster({ brokers, defects, signal: stop.signal });
  writeOut(cluster.summary);
  writeErr('Ctrl-C ends it.');
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  return 0;
};

const down = async (): Promise<number> => {
  const { stopClusters } = await load();
  writeOut(await stopClusters());
  return 0;
};

export const cluster = defineCommand(
  'cluster <action>',
  'the embedded cluster by itself: up, down',
  (argv) =>
    argv
      .positional('action', { choices: ['up', 'down'] as const, demandOption: true, describe: 'start or end one' })
      .option('brokers', { type: 'number', requiresArg: true, default: 3, describe: 'how many brokers' })
      .option('defect', {
        type: 'string',
        requiresArg: true,
        array: true,
        default: [] as string[],
        describe: 'switch a named bug on',
      })
      .example('$0 cluster up', 'prints the bootstrap addresses, ends with Ctrl-C')
      .epilogue('Nothing makes topics by itself: create them first, for example with the admin client of kafkajs.'),
  async ({ action, brokers, defect }) => (action === 'up' ? await up(brokers, defect) : await down()),
);
