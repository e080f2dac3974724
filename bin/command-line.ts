// Reads the command line, runs one command, and sets the exit code. Commands load what they need themselves, so
// that `--help` stays fast; everything they use comes from src/index.ts, which is also what a library user gets.
import { cluster } from './commands/cluster.ts';
import { explain } from './commands/explain.ts';
import { exportCommand } from './commands/export.ts';
import { heal } from './commands/heal.ts';
import { judge } from './commands/judge.ts';
import { list } from './commands/list.ts';
import { plan } from './commands/plan.ts';
import { report } from './commands/report.ts';
import { run } from './commands/run.ts';
import { s3Proxy } from './commands/s3-proxy.ts';
import { status } from './commands/status.ts';
import { validate } from './commands/validate.ts';
import { failWith, outputNotWritten, usageFailure } from './failure.ts';
import { guardStreams, outputFailure } from './streams.ts';
import { version } from './version.ts';
import { yargs } from './yargs.ts';

const EXIT_HELP =
  'Exit codes: 0 pass · 1 fail · 2 inconclusive · 3 bound missed · 4 heal failed · 64 usage · 65 bad input · ' +
  '69 environment · 70 internal · 130/143 interrupted';

const COMMANDS = [
  run,
  validate,
  plan,
  judge,
  exportCommand,
  report,
  heal,
  status,
  list,
  explain,
  cluster,
  s3Proxy,
] as const;

/** What yargs says of too few words, for people: what is missing, and how the command is written. */
const inWords = (message: string, words: readonly string[]): string => {
  const [, option] = /^Not enough arguments following: (.+)$/u.exec(message) ?? [];
  if (option !== undefined) return `--${option} needs a value behind it.`;
  if (!message.startsWith('Not enough non-option arguments')) return message;
  const usages = COMMANDS.map(({ command }) => command);
  const usage = usages.find((each) => words.includes(each.split(' ')[0] ?? '')) ?? 'COMMAND';
  const [name, ...needed] = usage.split(' ');
  return `${name ?? ''} needs ${needed.join(' ')}, which is missing.\nUsage: ackproof ${usage}`;
};

/** What may be named more than once; `_` is the command. */
const LISTS: ReadonlySet<string> = new Set(['_', 'defect', 'file', 'listen', 'report', 'scenario']);

/** Of two values for one thing neither is surely the one that was meant. */
const assertOnce = (options: Readonly<Record<string, unknown>>): true => {
  const twice = Object.keys(options).find((name) => Array.isArray(options[name]) && !LISTS.has(name));
  if (twice !== undefined) throw usageFailure(`Give --${twice} once.`, process.argv[2]);
  return true;
};

const main = async (words: readonly string[]): Promise<void> => {
  const parser = yargs([...words])
    .scriptName('ackproof')
    .locale('en')
    .usage(
      '$0 COMMAND\n\nAn acknowledgement is a promise. ackproof breaks a cluster on purpose and checks that it was kept.',
    )
    .command(run)
    .command(validate)
    .command(plan)
    .command(judge)
    .command(exportCommand)
    .command(report)
    .command(heal)
    .command(status)
    .command(list)
    .command(explain)
    .command(cluster)
    .command(s3Proxy)
    .version(version())
    .help()
    // `--report junit a.yaml` names one format and one scenario, not two formats.
    .parserConfiguration({ 'greedy-arrays': false })
    .check(assertOnce)
    .strict()
    .demandCommand(1, 1, 'Name a command.', 'Name one command.')
    .recommendCommands()
    .wrap(Math.min(100, process.stdout.columns > 0 ? process.stdout.columns : 100))
    .epilogue(EXIT_HELP)
    .exitProcess(false)
    .fail((message: string | null, error: unknown) => {
      // The parser's own complaints come as errors too; what a command throws goes further up as it is.
      if (error instanceof Error && error.name !== 'YError') throw error;
      const isNoCommand = message?.startsWith('Did you mean') === true;
      throw usageFailure(
        inWords(message ?? 'The command line cannot be understood.', words),
        isNoCommand ? undefined : words[0],
      );
    });
  await parser.parseAsync();
};

/** Runs the command that `words` name; its exit code is the process's. */
export const runCommandLine = async (words: readonly string[]): Promise<void> => {
  // Node.js would end with 1, and here 1 means that acknowledged records were lost. The watchdog puts back what was broken.
  process.on('uncaughtException', (thrown) => process.exit(failWith(thrown)));
  guardStreams();
  try {
    await main(words);
  } catch (thrown) {
    process.exitCode = failWith(thrown);
  }
  process.once('exit', () => {
    const failure = outputFailure();
    if (failure !== undefined && process.exitCode === 0) process.exitCode = failWith(outputNotWritten(failure));
  });
};
