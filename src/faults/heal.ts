// `ackproof heal`: puts back what dead runs left, newest run first, from their journals and the marks of their processes. It
// never stops at the first error, and what it cannot do it prints as a command for a person.
import { existsSync } from 'node:fs';
import { describeError, UsageError } from '../errors.ts';
import { shellQuoted } from '../shell.ts';
import { cleanUpRun, type Leftover } from './clean-up.ts';
import { openFaultsOf } from './journal.ts';
import {
  engineByHand,
  ownerIsAlive,
  type Registration,
  readRegistrations,
  removeRegistration,
} from './registration.ts';
import { endMarkedProcesses, isOrphan, markedProcesses, stateHomeElsewhere } from './run-processes.ts';
import { type RunScan, wholeScan } from './run-scan.ts';
import { type RunStanding, statusOfRuns } from './status.ts';
import { freshReach } from './undo.ts';

export interface HealOptions {
  /** One run; all that are dead otherwise. */
  readonly runId?: string;
  /** Says what would be done and changes nothing. */
  readonly dryRun?: boolean;
  readonly scan?: RunScan;
}

export interface HealedRun {
  readonly runId: string;
  readonly state: 'healed' | 'would-heal' | 'failed' | 'still-running';
  readonly done: readonly string[];
  readonly left: readonly Leftover[];
}

export interface HealReport {
  readonly runs: readonly HealedRun[];
  /** Whether nothing is left that should not be there. */
  readonly clean: boolean;
}

const faultsToUndo = async (journalPath: string): Promise<readonly string[]> => {
  try {
    return (await openFaultsOf(journalPath)).map((fault) => `undo ${fault.id} (${fault.last})`);
  } catch (thrown) {
    return [describeError(thrown)];
  }
};

/** What is going to be undone for a run, in words. */
const planOf = async (registration: Registration): Promise<readonly string[]> => {
  const faults = await faultsToUndo(registration.journalPath);
  const processes = registration.ephemeral
    ? markedProcesses(registration.runId).map((found) => `end process ${found.pid}`)
    : [];
  const { files, containers } = registration;
  const removed = files !== undefined && existsSync(files) ? [`remove the target's files in ${files}`] : [];
  const labelled =
    containers === undefined ? [] : [`remove the containers labelled ackproof.run=${registration.runId}`];
  return [...processes, ...labelled, ...faults, ...removed];
};

const healRegistered = async (registration: Registration, dryRun: boolean): Promise<HealedRun> => {
  const { runId, journalPath, ephemeral, files, containers } = registration;
  if (ownerIsAlive(registration)) {
    const what = `run ${runId} is still going on as process ${registration.owner.pid}`;
    const left = [{ what, byHand: `kill -INT ${registration.owner.pid}` }];
    return { runId, state: 'still-running', done: [], left };
  }
  const done = await planOf(registration);
  if (dryRun) return { runId, state: 'would-heal', done, left: [] };
  const left = await cleanUpRun({
    runId,
    journalPath,
    ephemeral,
    ...(files !== undefined && { files }),
    ...(containers !== undefined && { containers }),
    by: 'heal',
    reach: freshReach(),
  });
  if (left.length > 0) return { runId, state: 'failed', done, left };
  await removeRegistration(runId);
  return { runId, state: 'healed', done, left };
};

const removeStrayContainers = async (runId: string, names: readonly string[]): Promise<readonly Leftover[]> => {
  if (names.length === 0) return [];
  const { removeMarked, usualEngine } = await import('../targets/container-heal.ts');
  try {
    await removeMarked(usualEngine(), runId);
    return [];
  } catch (thrown) {
    return [{ what: `containers ${names.join(', ')} (${describeError(thrown)})`, byHand: byHandContainers(names) }];
  }
};

const byHandContainers = (names: readonly string[]): string => `docker rm -fv ${names.join(' ')}`;

/** A run of which only processes or containers are known: its registration is lost, or it was never written. */
const healStray = async (runId: string, containers: readonly string[], dryRun: boolean): Promise<HealedRun> => {
  const done = [
    ...markedProcesses(runId).map((found) => `end process ${found.pid}`),
    ...containers.map((name) => `remove container ${name}`),
  ];
  if (dryRun) return { runId, state: 'would-heal', done, left: [] };
  const alive = await endMarkedProcesses(runId, { quietMs: 300, deadlineMs: 10_000 });
  const left = [
    ...alive.map((found) => ({ what: `process ${found.pid}`, byHand: `kill -9 ${found.pid}` })),
    ...(await removeStrayContainers(runId, containers)),
  ];
  return { runId, state: left.length === 0 ? 'healed' : 'failed', done, left };
};

/** What a second look still finds of a run, after all was done. */
const leftAfterAll = ({
  runId,
  faults,
  processes,
  containers,
  engineTrouble,
  locks,
  files,
}: RunStanding): readonly Leftover[] => [
  ...faults.map(({ id, state }) => ({ what: `fault ${id} (${state})`, byHand: `ackproof heal --run ${runId}` })),
  ...processes.map((pid) => ({ what: `process ${pid}`, byHand: `kill -9 ${pid}` })),
  ...(containers.length === 0
    ? []
    : [{ what: `containers ${containers.join(', ')}`, byHand: byHandContainers(containers) }]),
  ...(engineTrouble === undefined ? [] : [{ what: `containers (${engineTrouble})`, byHand: engineByHand(runId) }]),
  ...(locks === undefined
    ? []
    : [{ what: `the lock ${locks.join(', ')}`, byHand: `docker volume rm ${locks.join(' ')}` }]),
  ...(files === undefined ? [] : [{ what: `files in ${files}`, byHand: `rm -r ${shellQuoted(files)}` }]),
];

/** What was done is no proof: a run of which something is found again has not been put back. */
const lookAgain = async (
  runs: readonly HealedRun[],
  scan: RunScan,
  isWanted: (runId: string) => boolean,
): Promise<readonly HealedRun[]> => {
  const found = (await statusOfRuns(scan)).runs.filter(
    (run) => !run.isAlive && run.elsewhere === undefined && isWanted(run.runId),
  );
  const seen = (runId: string): RunStanding | undefined => found.find((run) => run.runId === runId);
  const again = runs.map((run): HealedRun => {
    const still = seen(run.runId);
    return still === undefined || run.left.length > 0 ? run : { ...run, state: 'failed', left: leftAfterAll(still) };
  });
  const others = found.filter(({ runId }) => !runs.some((run) => run.runId === runId));
  return [
    ...again,
    ...others.map((run): HealedRun => ({ runId: run.runId, state: 'failed', done: [], left: leftAfterAll(run) })),
  ];
};

/**
 * Puts back what dead runs left. A run that is still going on is never touched.
 * @throws UsageError when the named run is not known.
 */
export const healRuns = async (options: HealOptions): Promise<HealReport> => {
  const dryRun = options.dryRun === true;
  const isWanted = (runId: string): boolean => options.runId === undefined || options.runId === runId;
  const registrations = await readRegistrations();
  const known = new Set(registrations.map((registration) => registration.runId));
  const scan = options.scan ?? wholeScan;
  const strays = scan
    .processes()
    .filter((found) => !known.has(found.runId) && isOrphan(found) && stateHomeElsewhere(found) === undefined);
  const contained = (await scan.containers()).filter((each) => !known.has(each.runId) && each.ownerIsThere === false);
  const runs: HealedRun[] = [];
  for (const registration of registrations.filter(({ runId }) => isWanted(runId)).reverse()) {
    // Without a name, a run that goes on is nobody's leftover.
    if (options.runId === undefined && ownerIsAlive(registration)) continue;
    runs.push(await healRegistered(registration, dryRun));
  }
  for (const runId of new Set([...strays, ...contained].map((found) => found.runId).filter(isWanted))) {
    const containers = contained.filter((each) => each.runId === runId).map(({ name }) => name);
    runs.push(await healStray(runId, containers, dryRun));
  }
  if (options.runId !== undefined && runs.length === 0) {
    throw new UsageError('HEAL_UNKNOWN_RUN', `No run named "${options.runId}" left anything on this machine.`, {
      hint: 'See `ackproof status`.',
    });
  }
  const told = dryRun ? runs : await lookAgain(runs, scan, isWanted);
  return { runs: told, clean: told.every((run) => run.state === 'healed') };
};

const renderRun = (run: HealedRun): readonly string[] => [
  `${run.runId}: ${run.state.replace('-', ' ')}`,
  ...run.done.map((what) => `  ${what}`),
  ...run.left.flatMap(({ what, byHand }) => [`  left: ${what}`, `    by hand: ${byHand}`]),
];

/** For people, one run a paragraph. */
export const renderHeal = (report: HealReport): string =>
  report.runs.length === 0 ? 'clean: nothing to heal' : report.runs.flatMap(renderRun).join('\n');
