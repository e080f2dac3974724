// What is going on and what dead runs left, from registrations, journals and the marks of processes and containers; changes nothing.
import { existsSync } from 'node:fs';
import { describeError } from '../errors.ts';
import { shellQuoted } from '../shell.ts';
import { openFaultsOf } from './journal.ts';
import { ownerIsAlive, type Registration, readRegistrations } from './registration.ts';
import { CAN_FIND_PROCESSES, isOrphan, type MarkedProcess, stateHomeElsewhere } from './run-processes.ts';
import { type RunScan, wholeScan } from './run-scan.ts';

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
  /** Names of containers that carry its label. */
  readonly containers: readonly string[];
  /** Names of the volumes by which a dead run still holds its project. */
  readonly locks?: readonly string[];
  /** Why nobody can tell which those are; absent where its engine answers, or where it has none. */
  readonly engineTrouble?: string;
  /** `$XDG_STATE_HOME` of a run that was registered under another one: it is seen and healed there, and is none of ours. */
  readonly elsewhere?: string;
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
    const faults = await openFaultsOf(registration.journalPath);
    return faults.map(({ id, intent, last }) => ({
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
const hasEnded = (
  registration: Registration,
  { processes, containers, engineTrouble }: Pick<RunStanding, 'processes' | 'containers' | 'engineTrouble'>,
): boolean =>
  engineTrouble === undefined &&
  CAN_FIND_PROCESSES &&
  registration.ephemeral &&
  !ownerIsAlive(registration) &&
  processes.length === 0 &&
  containers.length === 0;

type Contained = Pick<RunStanding, 'containers' | 'engineTrouble' | 'locks'>;

const containedOf = async (registration: Registration, scan: RunScan): Promise<Contained> => {
  const { runId, containers: engine } = registration;
  if (engine === undefined) return { containers: [] };
  try {
    const containers = await scan.containersOf(engine, runId);
    const locks = ownerIsAlive(registration) ? [] : await scan.locksOf(engine, runId);
    return { containers, ...(locks.length > 0 && { locks }) };
  } catch (thrown) {
    return { containers: [], engineTrouble: thrown instanceof Error ? thrown.message : String(thrown) };
  }
};

const standingOf = async (
  registration: Registration,
  marked: readonly MarkedProcess[],
  scan: RunScan,
): Promise<RunStanding> => {
  const { runId, target, runDirectory } = registration;
  const found = { processes: pids(marked, runId), ...(await containedOf(registration, scan)) };
  return {
    runId,
    target,
    runDirectory,
    isAlive: ownerIsAlive(registration),
    faults: hasEnded(registration, found) ? [] : await activeFaults(registration),
    ...found,
    ...filesLeft(registration),
  };
};

/** Runs that are only known by what carries their mark. */
const unregisteredRuns = async (
  known: ReadonlySet<string>,
  marked: readonly MarkedProcess[],
  scan: RunScan,
): Promise<readonly RunStanding[]> => {
  const processes = marked.filter((found) => !known.has(found.runId));
  const containers = (await scan.containers()).filter((found) => !known.has(found.runId));
  return [...new Set([...processes, ...containers].map((found) => found.runId))].map((runId): RunStanding => {
    const own = processes.filter((found) => found.runId === runId);
    const contained = containers.filter((found) => found.runId === runId);
    const elsewhere = own.map(stateHomeElsewhere).find((home) => home !== undefined);
    return {
      runId,
      target: 'unknown',
      runDirectory: '',
      // Of containers whose owner nobody can tell, nobody can say that they are left behind.
      isAlive: own.some((each) => !isOrphan(each)) || contained.some(({ ownerIsThere }) => ownerIsThere !== false),
      faults: [],
      processes: own.map(({ pid }) => pid),
      containers: contained.map(({ name }) => name),
      ...(elsewhere === undefined ? {} : { elsewhere }),
    };
  });
};

/** A run that goes on still needs its files. */
const filesLeft = (registration: Registration): { readonly files?: string } => {
  const { files } = registration;
  return files === undefined || ownerIsAlive(registration) || !existsSync(files) ? {} : { files };
};

/** Whether there is something of it that may still act, or nobody can tell. Files and locks do not act. */
export const mayStillAct = ({ faults, processes, containers, engineTrouble }: RunStanding): boolean =>
  faults.length + processes.length + containers.length > 0 || engineTrouble !== undefined;

/** Looks at every run of this user on this machine, and at those whose containers its engine has. */
export const statusOfRuns = async (scan: RunScan = wholeScan): Promise<Standings> => {
  const registrations = await readRegistrations();
  const processes = scan.processes();
  const registered = await Promise.all(
    registrations.map(async (registration) => await standingOf(registration, processes, scan)),
  );
  const known = new Set(registrations.map((registration) => registration.runId));
  const unregistered = await unregisteredRuns(known, processes, scan);
  // A dead run of which nothing is there left nothing: it died before its first fault, or before it could forget itself.
  const runs = [...registered, ...unregistered].filter(
    (run) => run.isAlive || mayStillAct(run) || run.files !== undefined || run.locks !== undefined,
  );
  return { runs, leftovers: runs.some((run) => !run.isAlive && run.elsewhere === undefined) };
};

const standingInWords = ({ runId, isAlive, elsewhere }: RunStanding): string => {
  if (elsewhere !== undefined) {
    return `belongs to another state directory; see it there with: XDG_STATE_HOME=${shellQuoted(elsewhere)} ackproof status`;
  }
  return isAlive ? 'running' : `left behind; put it back with: ackproof heal --run ${runId}`;
};

const renderRun = (run: RunStanding): readonly string[] => {
  const owner = standingInWords(run);
  const faults = run.faults.map(
    (fault) => `  fault ${fault.id} on ${fault.victims.join(', ') || 'nobody'}: ${fault.state}`,
  );
  const processes = run.processes.length === 0 ? [] : [`  processes ${run.processes.join(', ')}`];
  const containers = run.containers.length === 0 ? [] : [`  containers ${run.containers.join(', ')}`];
  const untold = run.engineTrouble === undefined ? [] : [`  containers: nobody can tell. ${run.engineTrouble}`];
  const locks = run.locks === undefined ? [] : [`  holds ${run.locks.join(', ')}`];
  const files = run.files === undefined ? [] : [`  files in ${run.files}`];
  return [
    `${run.runId} (${run.target}): ${owner}`,
    ...faults,
    ...processes,
    ...containers,
    ...untold,
    ...locks,
    ...files,
  ];
};

/** For people, one run a paragraph. */
export const renderStatus = (status: Standings): string =>
  status.runs.length === 0
    ? 'clean: no run, no fault, no process and no container of ackproof'
    : status.runs.flatMap(renderRun).join('\n');
