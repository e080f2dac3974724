// Processes as the operating system shows them. A pid alone names nobody for long, so whoever acts on a process names its
// start time as well. Where there is no /proc (not Linux) `ps` gives the state, and start times are 0.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from './target.ts';

/** One process: `state` is the letter of /proc/<pid>/stat (R, S, D, T, Z …). */
export interface ProcessEntry extends ProcessIdentity {
  readonly state: string;
}

const isErrno = (thrown: unknown, ...codes: string[]): boolean =>
  thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));

/** The fields of a stat line; the command stands in parentheses and may itself hold blanks and parentheses. */
const parseStat = (pid: number, stat: string): ProcessEntry | undefined => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startedAt = Number(fields[19]);
  return state === undefined || state === '' || !Number.isSafeInteger(startedAt)
    ? undefined
    : { pid, state, startedAt };
};

/** An entry from what `ps -o state= -p <pid>` printed; nothing printed means no such process. */
export const parsePs = (pid: number, printed: string): ProcessEntry | undefined => {
  const state = printed.trim().charAt(0);
  return state === '' ? undefined : { pid, state, startedAt: 0 };
};

const askPs = (pid: number): ProcessEntry | undefined =>
  parsePs(pid, spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8', timeout: 2_000 }).stdout);

const readEntry = (pid: number): ProcessEntry | undefined => {
  if (process.platform !== 'linux') return askPs(pid);
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ESRCH')) return undefined;
    throw thrown;
  }
};

/** The process of this number, read now; undefined when there is none. A zombie has ended and counts as none. */
export const readProcess = (pid: number): ProcessEntry | undefined => {
  const entry = readEntry(pid);
  return entry?.state === 'Z' || entry?.state === 'X' ? undefined : entry;
};

/** Who a child of ours is, from the moment it was spawned; known even if it has ended already and was not reaped yet. */
export const identityOfChild = (pid: number): ProcessIdentity => ({ pid, startedAt: readEntry(pid)?.startedAt ?? 0 });

/** The process that was meant, or undefined when it has ended, even if its number is in use again. */
export const findProcess = (identity: ProcessIdentity): ProcessEntry | undefined => {
  const entry = readProcess(identity.pid);
  return entry?.startedAt === identity.startedAt ? entry : undefined;
};

/** Signals exactly the process that was meant; false when it is no longer there. */
export const signalProcess = (identity: ProcessIdentity, signal: NodeJS.Signals): boolean => {
  if (findProcess(identity) === undefined) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (thrown) {
    if (isErrno(thrown, 'ESRCH')) return false;
    throw thrown;
  }
};
