// One run per target that others use too: a lock file named after the cluster. A dead owner's lock is taken over only by
// `heal`, because what that owner left may still be active.
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '../environment.ts';
import { EnvironmentError } from '../errors.ts';
import { findProcess, readProcess } from '../targets/process-table.ts';
import type { ProcessIdentity } from '../targets/target.ts';

interface LockOwner {
  readonly runId: string;
  readonly owner: ProcessIdentity;
}

const locksDirectory = (): string => join(stateDirectory(), 'locks');

const lockPath = (targetId: string): string =>
  join(locksDirectory(), `${targetId.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.json`);

const readOwner = async (path: string): Promise<LockOwner | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LockOwner;
  } catch {
    // Released between two looks, or no lock at all.
    return undefined;
  }
};

const lockedError = async (targetId: string, path: string): Promise<EnvironmentError> => {
  const held = await readOwner(path);
  const runId = held?.runId ?? 'unknown';
  const alive = held !== undefined && findProcess(held.owner) !== undefined;
  return new EnvironmentError(
    'TARGET_LOCKED',
    `The target ${targetId} is in use by run ${runId}${alive ? ` (process ${held.owner.pid})` : ', whose process is gone'}.`,
    { hint: alive ? 'Wait for that run to end.' : `Put back what it left: ackproof heal --run ${runId}` },
  );
};

/**
 * Locks a target for a run until the run is forgotten (`removeRegistration`): as long as something of it may be left, nobody else
 * may use the target.
 * @throws EnvironmentError that names the run which holds the lock.
 */
export const lockTarget = async (targetId: string, runId: string): Promise<void> => {
  const path = lockPath(targetId);
  await mkdir(locksDirectory(), { recursive: true });
  const owner: LockOwner = {
    runId,
    owner: { pid: process.pid, startedAt: readProcess(process.pid)?.startedAt ?? 0 },
  };
  // Written beside it and linked, so that a lock always names its owner, whenever its owner dies.
  const draft = `${path}.${process.pid}`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(owner));
    await file.sync();
    await link(draft, path);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') {
      throw await lockedError(targetId, path);
    }
    throw thrown;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
};

/** Gives free whatever a run locked; somebody else's locks are left alone. */
export const releaseLocksOf = async (runId: string): Promise<void> => {
  const names = await readdir(locksDirectory()).catch(() => []);
  for (const name of names) {
    const path = join(locksDirectory(), name);
    if ((await readOwner(path))?.runId === runId) await rm(path, { force: true });
  }
};
