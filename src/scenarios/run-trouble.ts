// What kept a run from a verdict, as an error that says what to do: a full disk or a forbidden file is the environment's trouble,
// never reported as a fault of ackproof.
import { AckproofError, describeError, EnvironmentError, InternalError } from '../errors.ts';

/** Errors of the operating system that say something about this machine, and what a person can do about each. */
const HINTS: Readonly<Record<string, string>> = {
  EACCES: 'Check the permissions, or choose another directory with --out.',
  EDQUOT: 'Free some of your disk quota, or choose another directory with --out.',
  EIO: 'Look at the state of that disk; the kernel log has more.',
  EMFILE: 'Raise the limit of open files (ulimit -n), or use fewer partitions and producers.',
  ENFILE: 'Too many files are open on this machine; end what holds them.',
  ENOMEM: 'Free some memory, or use fewer partitions and producers.',
  ENOSPC: 'Free some space, or choose another directory with --out.',
  EPERM: 'Check the permissions, or choose another directory with --out.',
  EROFS: 'Choose a directory on a disk that can be written with --out.',
};

const systemCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && 'syscall' in thrown
    ? thrown.code
    : undefined;

/** `thrown` itself where it is one of ours; else the environment's trouble, or ours. */
export const asRunTrouble = (thrown: unknown): AckproofError => {
  if (thrown instanceof AckproofError) return thrown;
  const hint = HINTS[systemCode(thrown) ?? ''];
  const what = describeError(thrown);
  return hint === undefined
    ? new InternalError('RUN_BROKE', `The run broke: ${what}.`, { cause: thrown })
    : new EnvironmentError('RUN_ENVIRONMENT', `The run could not go on: ${what}.`, { cause: thrown, hint });
};
