// How a command that could not do its work ends: the reason on stderr, root cause first, and the exit code of its kind.
import type { AckproofError, ErrorKind } from '../src/index.ts';
import { type ExitCode, exitCodeOfError } from './exit-codes.ts';
import { plainText } from './terminal.ts';

interface Described extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  describe(): string;
  readonly problems?: readonly AckproofError[];
  readonly attached?: readonly unknown[];
}

const isDescribed = (thrown: unknown): thrown is Described =>
  thrown instanceof Error && 'kind' in thrown && 'describe' in thrown && typeof thrown.describe === 'function';

class UsageFailure extends Error {
  readonly code = 'USAGE';
  readonly kind = 'usage';
  readonly #help: string;

  constructor(message: string, help: string) {
    super(message);
    this.#help = help;
  }

  describe(): string {
    return `${this.message}\nTry: ${this.#help}`;
  }
}

/** A command line that cannot be understood; exit 64. `command` is its first word, where there is one. */
export const usageFailure = (message: string, command?: string): Error =>
  new UsageFailure(
    message,
    /^[a-z][a-z0-9-]*$/.test(command ?? '') ? `ackproof ${command ?? ''} --help` : 'ackproof --help',
  );

class OutputFailure extends Error {
  readonly code = 'OUTPUT_NOT_WRITTEN';
  readonly kind = 'environment';

  describe(): string {
    return `${this.code} — The result could not be written to standard output: ${this.message}. Free some space and ask again.`;
  }
}

/** The result is known and was not taken; exit 69. */
export const outputNotWritten = (cause: Error): Error => new OutputFailure(cause.message);

const causeLines = (thrown: Error): string[] => {
  const lines: string[] = [];
  for (let cause = thrown.cause, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    lines.push(`  because: ${cause.message}`);
  }
  return lines;
};

/** Why, in one line, for a place that lists several. */
export const reasonOf = (thrown: unknown): string => {
  if (isDescribed(thrown)) return thrown.describe();
  return thrown instanceof Error ? thrown.message : String(thrown);
};

/** What the operating system refuses for reasons of its own. */
const REFUSALS: ReadonlySet<string> = new Set([
  'EACCES',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOSPC',
  'EPERM',
  'EROFS',
]);
/** The directory in which the program was started is no longer there. */
const NO_DIRECTORY = 'uv_cwd';

const isRefusal = (thrown: unknown): thrown is Error =>
  thrown instanceof Error &&
  'syscall' in thrown &&
  'code' in thrown &&
  typeof thrown.code === 'string' &&
  (REFUSALS.has(thrown.code) || thrown.syscall === NO_DIRECTORY);

/** Writes why to stderr and returns the exit code. Never throws. */
export const failWith = (thrown: unknown): ExitCode => {
  if (isDescribed(thrown)) {
    const lines =
      thrown.problems === undefined
        ? [thrown.describe(), ...causeLines(thrown)]
        : thrown.problems.map((one) => one.describe());
    for (const other of thrown.attached ?? [])
      lines.push(`  also: ${other instanceof Error ? other.message : String(other)}`);
    process.stderr.write(`${lines.map(plainText).join('\n')}\n`);
    return exitCodeOfError(thrown.kind);
  }
  if (isRefusal(thrown)) {
    const what = plainText(thrown.message);
    process.stderr.write(
      `REFUSED_BY_SYSTEM — The operating system refused: ${what}. Check permissions, free space and limits of this machine.\n`,
    );
    return exitCodeOfError('environment');
  }
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(
    `INTERNAL_ERROR — ${plainText(text)}\nThis is a fault of ackproof. Please report it with the line above.\n`,
  );
  return 70;
};
