// What is going on and what dead runs left, from registrations, journals and the marks of living processes; changes nothing.
import { existsSync } from 'node:fs';
import { describeError } from '../errors.ts';
import { findJournal, openFaults } from './journal.ts';
import { ownerIsAlive, type Registration, readRegistrations } from './registration.ts';
import {
  CAN_FIND_PROCESSES,
  isOrphan,
  type MarkedProcess,
  markedProcesses,
  type ProcessScan,
} from './run-processes.ts';

export interface ActiveFault {
  readonly id: string;
  readonly fault: string;
  readonly victims: readonly string[];
  /** The last edge in the journal. */
  readonly state: string;
}

export interface RunStanding {
  readonly runId: string;
  readonly target: string;
  /** Empty where the run is only known by the marks of its processes. */
  readonly runDirectory: string;
  /** Whether the process that runs it is there. */
  readonly isAlive: boolean;
  readonly faults: readonly ActiveFault[];
  readonly processes: readonly number[];
  /** The files of a target that was made for it, where a dead run left them. */
  readonly files?: string;
}

export interface Standings {
  readonly runs: readonly RunStanding[];
  /** Whether a dead run left something. */
  readonly leftovers: boolean;
}

const activeFaults = async (registration: Registration): Promise<readonly ActiveFault[]> => {
  try {
    const reading = await findJournal(registration.journalPath);
    return openFaults(reading?.edges ?? []).map(({ id, intent, last }) => ({
      id,
      fault: intent.fault,
      victims: intent.victims,
      state: last,
    }));
  } catch (thrown) {
    return [{ id: 'unknown', fault: 'unknown', victims: [], state: describeError(thrown) }];
  }
};

const pids = (processes: readonly MarkedProcess[], runId: string): readonly number[] =>
  processes.filter((found) => found.runId === runId).map((found) => found.pid);

/** A target that was made for a run and has ended with it: nothing is there any more that a fault could still change. */
const hasEnded = (registration: Registration, processes: readonly MarkedProcess[]): boolean =>
  CAN_FIND_PROCESSES &&
  registration.ephemeral &&
  !ownerIsAlive(registration) &&
  pids(processes, registration.runId).length === 0;

/** A run that goes on still needs its files. */
const filesLeft = (registration: Registration): { readonly files?: string } => {
  const { files } = registration;
  return files === undefined || ownerIsAlive(registration) || !existsSync(files) ? {} : { files };
};

/** Looks at every run of this user on this machine. */
export const statusOfRuns = async (scan: ProcessScan = markedProcesses): Promise<Standings> => {
  const registrations = await readRegistrations();
  const processes = scan();
  const registered = await Promise.all(
    registrations.map(
      async (registration): Promise<RunStanding> => ({
        runId: registration.runId,
        target: registration.target,
        runDirectory: registration.runDirectory,
        isAlive: ownerIsAlive(registration),
        faults: hasEnded(registration, processes) ? [] : await activeFaults(registration),
        processes: pids(processes, registration.runId),
        ...filesLeft(registration),
      }),
    ),
  );
  const known = new Set(registrations.map((registration) => registration.runId));
  const strays = processes.filter((found) => !known.has(found.runId));
  const unregistered = [...new Set(strays.map((found) => found.runId))].map(
    (runId): RunStanding => ({
      runId,
      target: 'unknown',
      runDirectory: '',
      isAlive: strays.some((found) => found.runId === runId && !isOrphan(found)),
      faults: [],
      processes: pids(strays, runId),
    }),
  );
  // A dead run of which nothing is there left nothing: it died before its first fault, or before it could forget itself.
  const isSomething = (run: RunStanding): boolean =>
    run.isAlive || run.faults.length > 0 || run.processes.length > 0 || run.files !== undefined;
  const runs = [...registered, ...unregistered].filter(isSomething);
  return { runs, leftovers: runs.some((run) => !run.isAlive) };
};

const renderRun = (run: RunStanding): readonly string[] => {
  const owner = run.isAlive ? 'running' : `left behind; put it back with: ackproof heal --run ${run.runId}`;
  const faults = run.faults.map(
    (fault) => `  fault ${fault.id} on ${fault.victims.join(', ') || 'nobody'}: ${fault.state}`,
  );
  const processes = run.processes.length === 0 ? [] : [`  processes ${run.processes.join(', ')}`];
  const files = run.files === undefined ? [] : [`  files in ${run.files}`];
  return [`${run.runId} (${run.target}): ${owner}`, ...faults, ...processes, ...files];
};

/** For people, one run a paragraph. */
export const renderStatus = (status: Standings): string =>
  status.runs.length === 0
    ? 'clean: no run, no fault, no process of ackproof'
    : status.runs.flatMap(renderRun).join('\n');
