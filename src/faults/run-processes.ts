// The processes that carry a run's mark, ACKPROOF_RUN=<id>, in their environment: how everything a run started is found again
// when the run itself is dead. Only Linux tells the environment of another process; elsewhere nothing is found.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stateHome, stateHomeIn } from '../environment.ts';
import { findProcess, readProcess, signalProcess } from '../targets/process-table.ts';
import type { ProcessIdentity } from '../targets/target.ts';

const MARK = 'ACKPROOF_RUN=';

export interface MarkedProcess extends ProcessIdentity {
  readonly runId: string;
  /** Its command line, blanks between the words. */
  readonly command: string;
  readonly parent: number;
  /** Where its run was registered; absent where its environment does not tell. */
  readonly stateHome?: string;
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended, or it belongs to somebody else: either way it is none of ours.
    return '';
  }
};

const parentOf = (pid: number): number => {
  const stat = readText(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
};

const stateHomeOf = (environment: readonly string[]): Pick<MarkedProcess, 'stateHome'> => {
  const valueOf = (name: string): string | undefined =>
    environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  const home = valueOf('HOME');
  return home === undefined ? {} : { stateHome: stateHomeIn(valueOf('XDG_STATE_HOME'), home) };
};

const markedProcess = (pid: number): MarkedProcess | undefined => {
  const environment = readText(`/proc/${pid}/environ`).split('\0');
  const mark = environment.find((entry) => entry.startsWith(MARK) && entry.length > MARK.length);
  const entry = mark === undefined ? undefined : readProcess(pid);
  if (mark === undefined || entry === undefined) return undefined;
  return {
    pid,
    startedAt: entry.startedAt,
    runId: mark.slice(MARK.length),
    command: readText(`/proc/${pid}/cmdline`).split('\0').join(' ').trim(),
    parent: parentOf(pid),
    ...stateHomeOf(environment),
  };
};

/** Whether this system tells the environment of another process: where not, that none is found says nothing. */
export const CAN_FIND_PROCESSES = process.platform === 'linux';

/** All living processes with a run's mark, except this one; those of one run when `runId` is given. */
export const markedProcesses = (runId?: string): readonly MarkedProcess[] => {
  if (!CAN_FIND_PROCESSES) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => markedProcess(Number(name)))
    .filter((found): found is MarkedProcess => found !== undefined)
    .filter((found) => runId === undefined || found.runId === runId);
};

/** How marked processes are found; a test looks at its own only. */
export type ProcessScan = () => readonly MarkedProcess[];

const programOf = (pid: number): string => {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return '';
  }
};

/** Whether a process's starter has died: it was handed to the first process, or to one that is no Node.js program. */
export const isOrphan = (found: MarkedProcess): boolean =>
  found.parent <= 1 || programOf(found.parent) !== basename(process.execPath);

/** Where its run belongs, if that is another state directory than ours: only there its faults and its owner are known. */
export const stateHomeElsewhere = ({ stateHome: of }: MarkedProcess): string | undefined =>
  of === undefined || of === stateHome() ? undefined : of;

const SCAN_INTERVAL_MS = 100;

/**
 * Ends every process of a run with SIGKILL, which a stopped process obeys too, and looks again until none was found for
 * `quietMs`: one that was just being started shows its mark only after a moment. Returns what is still alive at the deadline.
 */
export const endMarkedProcesses = async (
  runId: string,
  options: { readonly quietMs: number; readonly deadlineMs: number },
): Promise<readonly MarkedProcess[]> => {
  let quiet = 0;
  for (let waited = 0; waited < options.deadlineMs; waited += SCAN_INTERVAL_MS) {
    const found = markedProcesses(runId);
    for (const each of found) signalProcess(each, 'SIGKILL');
    quiet = found.length === 0 ? quiet + SCAN_INTERVAL_MS : 0;
    if (quiet > options.quietMs) return [];
    await delay(SCAN_INTERVAL_MS);
  }
  return markedProcesses(runId).filter((each) => findProcess(each) !== undefined);
};
