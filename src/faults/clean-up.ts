// Puts back what a run left, from its journal alone: what the watchdog does when its run dies and what `ackproof heal` does
// later. On a target made for the run everything is ended; elsewhere each open fault is undone, looked at, and told.
import { rm } from 'node:fs/promises';
import { isoTime, systemClock } from '../clock.ts';
import { describeError, EnvironmentError } from '../errors.ts';
import { shellQuoted } from '../shell.ts';
import type { FaultEdge } from '../vocabulary.ts';
import { commandHealMs, commandInFlightMs } from './command-undo.ts';
import type { JournalEdge } from './fault.ts';
import { findJournal, type Journal, type JournalHeader, type OpenFault, openFaults, reopenJournal } from './journal.ts';
import { engineByHand } from './registration.ts';
import { endMarkedProcesses } from './run-processes.ts';
import { leftOf, performUndo, type Reach } from './undo.ts';

/** The longest a control call may have been on its way when its caller died, and some more. */
const IN_FLIGHT_MS = 10_000;
const UNDO_DEADLINE_MS = 7000;
const END_PROCESSES = { quietMs: 700, deadlineMs: 10_000 } as const;

/** One thing that is still not as it was, and how a person puts it back. */
export interface Leftover {
  readonly what: string;
  readonly byHand: string;
}

export interface CleanUp {
  readonly runId: string;
  readonly journalPath: string;
  readonly ephemeral: boolean;
  /** The target's own files, which go with it; absent where it has none, or where they are to be kept. */
  readonly files?: string;
  /** The Docker engine on which everything labelled with the run's id goes with it; absent where nothing does. */
  readonly containers?: string;
  readonly by: 'watchdog' | 'heal';
  readonly reach: Reach;
}

const edgeOf = (
  fault: OpenFault,
  edge: FaultEdge,
  by: CleanUp['by'],
  header: JournalHeader | undefined,
  reason: string | undefined,
): JournalEdge => {
  const wallMs = systemClock.wall();
  const { intent } = fault;
  return {
    at: header === undefined ? 0 : header.at + (wallMs - header.wallMs),
    wall: isoTime(wallMs),
    id: fault.id,
    fault: intent.fault,
    edge,
    by,
    victims: intent.victims,
    brokers: intent.brokers,
    ...(reason === undefined ? {} : { reason }),
  };
};

class JournalCleaner {
  readonly #cleanUp: CleanUp;
  readonly #header: JournalHeader | undefined;
  readonly #journal: Journal;

  constructor(cleanUp: CleanUp, header: JournalHeader | undefined, journal: Journal) {
    this.#cleanUp = cleanUp;
    this.#header = header;
    this.#journal = journal;
  }

  async tell(fault: OpenFault, edge: FaultEdge, reason?: string): Promise<void> {
    await this.#journal.append(edgeOf(fault, edge, this.#cleanUp.by, this.#header, reason));
  }

  /** Undoes and looks; what is left, nothing when all is as before. */
  async undo(fault: OpenFault): Promise<readonly Leftover[]> {
    const { reach } = this.#cleanUp;
    const signal = AbortSignal.timeout(UNDO_DEADLINE_MS + commandHealMs(fault.undo));
    const problems = await performUndo([fault.undo], reach, signal);
    const left = await leftOf(fault.undo, reach);
    if (left.length === 0) return [];
    const [first] = problems;
    return first === undefined
      ? left
      : left.map((each) => ({ ...each, what: `${each.what} (${describeError(first.error)})` }));
  }
}

/** Undoes the given faults, newest first; a call that may still be on its way is awaited and undone again. */
const undoFaults = async (
  cleaner: JournalCleaner,
  faults: readonly OpenFault[],
  isEphemeral: boolean,
): Promise<Leftover[]> => {
  const leftovers: Leftover[] = [];
  for (const fault of faults) {
    await cleaner.tell(fault, 'healing');
    if (!isEphemeral) await cleaner.undo(fault);
  }
  const mustWait = !isEphemeral && faults.some((fault) => fault.mayBeInFlight);
  const inFlightMs = Math.max(...faults.map(({ undo }) => commandInFlightMs(undo) + IN_FLIGHT_MS));
  if (mustWait) await systemClock.sleep(inFlightMs);
  for (const fault of faults) {
    const left = isEphemeral ? [] : await cleaner.undo(fault);
    leftovers.push(...left);
    const reason = left.length === 0 ? 'seen to be as before' : left.map((each) => each.what).join('; ');
    const edge = left.length === 0 ? 'healed' : 'heal-failed';
    await cleaner.tell(fault, edge, isEphemeral ? 'its target was ended' : reason);
  }
  return leftovers;
};

/** Puts back the open faults of a journal that `which` picks; what is left. */
export const undoOpenFaults = async (
  cleanUp: CleanUp,
  which: (fault: OpenFault) => boolean,
): Promise<{ readonly undone: readonly OpenFault[]; readonly left: Leftover[] }> => {
  const reading = await findJournal(cleanUp.journalPath);
  const faults = openFaults(reading?.edges ?? []).filter(which);
  if (faults.length === 0) return { undone: [], left: [] };
  const journal = await reopenJournal(cleanUp.journalPath);
  try {
    const cleaner = new JournalCleaner(cleanUp, reading?.header, journal);
    const left = await undoFaults(cleaner, faults, cleanUp.ephemeral);
    return { undone: faults, left };
  } finally {
    await journal.close();
  }
};

/** The files of a target that is gone; nobody writes them any more, and there may be a lot of them. */
const removeFiles = async ({ files }: CleanUp): Promise<readonly Leftover[]> => {
  if (files === undefined) return [];
  try {
    await rm(files, { recursive: true, force: true });
    return [];
  } catch (thrown) {
    return [
      { what: `the files of the target in ${files} (${describeError(thrown)})`, byHand: `rm -r ${shellQuoted(files)}` },
    ];
  }
};

const isEngineAway = (thrown: unknown): thrown is EnvironmentError =>
  thrown instanceof EnvironmentError && ['DOCKER_NOT_FOUND', 'DOCKER_NOT_RUNNING', 'DOCKER_GONE'].includes(thrown.code);

/** Everything on a Docker engine that is labelled with the run's id: containers, networks, volumes, and the lock of its project. */
const removeContainers = async ({ containers, runId }: CleanUp): Promise<readonly Leftover[]> => {
  if (containers === undefined) return [];
  try {
    const { removeMarked } = await import('../targets/container-heal.ts');
    await removeMarked(containers, runId);
    return [];
  } catch (thrown) {
    if (isEngineAway(thrown))
      return [{ what: `the containers of the target (${thrown.message})`, byHand: engineByHand(runId) }];
    const filter = `--filter label=ackproof.run=${runId}`;
    const byHand = `docker rm -fv $(docker ps -aq ${filter}); docker network rm $(docker network ls -q ${filter})`;
    return [{ what: `the containers of the target (${describeError(thrown)})`, byHand }];
  }
};

/** Commands for single containers help nobody whose engine is away: then that is what is left. */
const engineLeft = async ({ containers, runId }: CleanUp): Promise<readonly Leftover[]> => {
  if (containers === undefined) return [];
  const { containersOfRun } = await import('../targets/container-heal.ts');
  try {
    await containersOfRun(containers, runId);
    return [];
  } catch (thrown) {
    return isEngineAway(thrown) ? [{ what: `its containers (${thrown.message})`, byHand: engineByHand(runId) }] : [];
  }
};

/** Ends the processes and containers of an ephemeral target, then settles the journal. Whatever is left is returned, nothing is thrown. */
export const cleanUpRun = async (cleanUp: CleanUp): Promise<readonly Leftover[]> => {
  const alive = cleanUp.ephemeral ? await endMarkedProcesses(cleanUp.runId, END_PROCESSES) : [];
  const left = alive.map((each) => ({
    what: `process ${each.pid} (${each.command}) does not end`,
    byHand: `kill -9 ${each.pid}`,
  }));
  if (left.length > 0) return left;
  if (cleanUp.ephemeral) {
    const containers = await removeContainers(cleanUp);
    if (containers.length > 0) return containers;
  }
  try {
    const { left: unhealed } = await undoOpenFaults(cleanUp, () => true);
    // What helped to perform a fault may still be needed to undo it, and nobody else may use the target until then.
    if (!cleanUp.ephemeral) {
      unhealed.push(...(unhealed.length === 0 ? await removeContainers(cleanUp) : await engineLeft(cleanUp)));
    }
    return [...unhealed, ...(await removeFiles(cleanUp))];
  } catch (thrown) {
    // Without its target no fault is left, whatever the journal says.
    if (cleanUp.ephemeral) return await removeFiles(cleanUp);
    const what = `the journal ${cleanUp.journalPath}: ${describeError(thrown)}`;
    return [{ what, byHand: `ackproof heal --run ${cleanUp.runId}` }];
  }
};
