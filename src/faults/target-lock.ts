// One run per target that others use too: a lock file named after the cluster. A dead owner's lock is taken over only by
// `heal`, because what that owner left may still be active.
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '../environment.ts';
import { EnvironmentError } from '../errors.ts';
import { findProcess, readProcess } from '../targets/process-table.ts';
import type { ProcessIdentity } from '../targets/target.ts';

interface LockOwner {
  readonly runId: string;
  readonly owner: ProcessIdentity;
}

const lockPath = (targetId: string): string =>
  join(stateDirectory(), 'locks', `${targetId.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.json`);

const readOwner = async (path: string): Promise<LockOwner | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LockOwner;
  } catch {
    // Written by nobody any more: created, but its owner died before it wrote its name.
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

export interface TargetLock {
  release(): Promise<void>;
}

/** @throws EnvironmentError that names the run which holds the lock. */
export const lockTarget = async (targetId: string, runId: string): Promise<TargetLock> => {
  const path = lockPath(targetId);
  await mkdir(join(stateDirectory(), 'locks'), { recursive: true });
  const file = await open(path, 'wx', 0o600).catch(async (thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')
      throw await lockedError(targetId, path);
    throw thrown;
  });
  const owner: LockOwner = {
    runId,
    owner: { pid: process.pid, startedAt: readProcess(process.pid)?.startedAt ?? 0 },
  };
  await file.writeFile(JSON.stringify(owner));
  await file.sync();
  await file.close();
  return { release: async () => await rm(path, { force: true }) };
};

/** For `heal` only: releases the lock that a dead run held on a target; somebody else's is left alone. */
export const releaseLockOf = async (targetId: string, runId: string): Promise<void> => {
  const path = lockPath(targetId);
  const held = await readOwner(path);
  if (held?.runId === runId) await rm(path, { force: true });
};
