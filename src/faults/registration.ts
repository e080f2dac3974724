// What a run leaves in the user's state directory before its first fault, so that `status` and `heal` find it without its
// scenario and without its process. Removed by the run when everything is put back, or by whoever puts it back instead.
import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../directories.ts';
import { stateDirectory } from '../environment.ts';
import { EnvironmentError, InputError } from '../errors.ts';
import { findProcess, readProcess } from '../targets/process-table.ts';
import type { ProcessIdentity } from '../targets/target.ts';
import { openFaults, readJournal } from './journal.ts';
import { releaseLocksOf } from './target-lock.ts';

const REGISTRATION_VERSION = 1;
const FILE = 'registration.json';

export interface Registration {
  readonly version: typeof REGISTRATION_VERSION;
  readonly runId: string;
  readonly runDirectory: string;
  readonly journalPath: string;
  /** Whether the target was made for this run and may be ended with it. */
  readonly ephemeral: boolean;
  /** The target's own files, which go with it; absent where it has none, or where they are to be kept. */
  readonly files?: string;
  /** The Docker engine on which everything labelled with the run's id goes with it; absent where nothing does. */
  readonly containers?: string;
  /** The target's name, for people. */
  readonly target: string;
  /** The process that runs it. */
  readonly owner: ProcessIdentity;
  readonly wallMs: number;
}

const runsDirectory = (): string => join(stateDirectory(), 'runs');

const directoryOf = (runId: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(runId)) return join(runsDirectory(), runId);
  throw new InputError('RUN_ID', `"${runId}" is no run id.`, { hint: 'Take it from `ackproof status`.' });
};

/** The command that makes ackproof forget a run without a look at what it left. */
const forgetByHand = (runId: string): string => `rm -r '${directoryOf(runId)}'`;

/** What a person does about a run whose container engine does not answer. */
export const engineByHand = (runId: string): string =>
  `start that engine, then run: ackproof heal --run ${runId}. Where it is gone for good: ${forgetByHand(runId)}`;

const writeDurably = async (path: string, text: string): Promise<void> => {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
};

/** Registers this process as the owner of a run; durable when it returns. */
export const registerRun = async (run: Omit<Registration, 'version' | 'owner'>): Promise<Registration> => {
  const registration: Registration = {
    version: REGISTRATION_VERSION,
    ...run,
    owner: { pid: process.pid, startedAt: readProcess(process.pid)?.startedAt ?? 0 },
  };
  const directory = directoryOf(run.runId);
  try {
    makeDirectory(directory);
    await writeDurably(join(directory, FILE), JSON.stringify(registration, undefined, 2));
  } catch (cause) {
    throw new EnvironmentError('REGISTRATION_NOT_WRITTEN', `The run cannot be registered in ${directory}.`, {
      cause,
      hint: 'Make that directory writable, or set XDG_STATE_HOME to one that is.',
    });
  }
  return registration;
};

/**
 * Forgets a run, once nothing on its container engine carries its label any more, and gives free what it locked; one that is not
 * registered is fine. @throws EnvironmentError where that engine does not answer; the run is still known then.
 */
export const removeRegistration = async (runId: string): Promise<void> => {
  const directory = directoryOf(runId);
  const engine = (await readOne(runId))?.containers;
  if (engine !== undefined) await (await import('../targets/container-heal.ts')).removeMarked(engine, runId);
  await releaseLocksOf(runId);
  await rm(directory, { recursive: true, force: true });
};

/**
 * Forgets a run that has come to its end, unless one of its faults was not seen to be healed: that one stays known to `status`
 * and `heal`, and no run begins before it is put back.
 */
export const forgetHealedRun = async ({
  runId,
  journalPath,
}: Pick<Registration, 'runId' | 'journalPath'>): Promise<void> => {
  // Without a journal there was no fault.
  const edges = existsSync(journalPath) ? (await readJournal(journalPath)).edges : [];
  if (openFaults(edges).length === 0) await removeRegistration(runId);
};

const readOne = async (runId: string): Promise<Registration | undefined> => {
  try {
    const parsed = JSON.parse(await readFile(join(directoryOf(runId), FILE), 'utf8')) as Omit<
      Registration,
      'version'
    > & {
      readonly version: unknown;
    };
    return parsed.version === REGISTRATION_VERSION ? { ...parsed, version: REGISTRATION_VERSION } : undefined;
  } catch {
    // Torn by a crash before its rename, or half removed: there was no fault yet, or there is none any more.
    return undefined;
  }
};

/** Every registered run, oldest first. */
export const readRegistrations = async (): Promise<readonly Registration[]> => {
  const names = await readdir(runsDirectory()).catch(() => []);
  const found = await Promise.all(names.map(readOne));
  return found
    .filter((each): each is Registration => each !== undefined)
    .sort((one, other) => one.wallMs - other.wallMs);
};

/** Whether the process that runs it is still there (a stopped one is). */
export const ownerIsAlive = (registration: Pick<Registration, 'owner'>): boolean =>
  findProcess(registration.owner) !== undefined;
