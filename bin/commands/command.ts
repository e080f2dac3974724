// The shape of every command: what yargs needs, and a handler whose return value is the exit code.
import type { Argv } from 'yargs';

export interface Command<T> {
  readonly command: string;
  readonly describe: string;
  builder(argv: Argv): Argv<T>;
  handler(options: T): Promise<void>;
}

/** Wraps `work` so that its result becomes the process's exit code. */
export const defineCommand = <T>(
  command: string,
  describe: string,
  builder: (argv: Argv) => Argv<T>,
  work: (options: T) => Promise<number>,
): Command<T> => ({
  command,
  describe,
  builder,
  handler: async (options) => {
    process.exitCode = await work(options);
  },
});

export const FORMAT_OPTION = {
  requiresArg: true,
  choices: ['text', 'json'] as const,
  default: 'text' as const,
  describe: 'how the result is printed on stdout',
};
