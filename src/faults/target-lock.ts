// One run per target that others use too: a lock file named after the cluster, and one after each address of its brokers, as one run
// may know it by its project and another by its servers. A dead owner's locks are taken over only by `heal`, because what that owner
// left may still be active.
import { lookup } from 'node:dns/promises';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '../environment.ts';
import { EnvironmentError } from '../errors.ts';
import { findProcess, readProcess } from '../targets/process-table.ts';
import type { Address, ProcessIdentity, StartedTarget } from '../targets/target.ts';

interface LockOwner {
  readonly runId: string;
  readonly owner: ProcessIdentity;
}

const THIS_MACHINE = '127.0.0.1';
/** Other ways to write it, where somebody listens everywhere. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::', '::1']);

/** As whoever dials understands it; a name that means nothing here stands for itself. */
const numericHosts = async (host: string): Promise<readonly string[]> => {
  const found = await lookup(host, { all: true }).catch(() => [{ address: host }]);
  return found.map(({ address }) => (EVERYWHERE.has(address) ? THIS_MACHINE : address));
};

/**
 * All that a target is locked by, each name once and the same for whoever uses one of its brokers. Its cluster's id alone tells
 * nobody: many clusters have that of their image.
 */
export const lockNames = async (
  { lockedAs, brokers }: Pick<StartedTarget, 'lockedAs' | 'brokers'>,
  clusterId: string | undefined,
  name: string,
): Promise<readonly string[]> => {
  const namesOf = async ({ host, port }: Address): Promise<readonly string[]> =>
    (await numericHosts(host)).map((each) => `${each}:${port}`);
  const addresses = brokers.flatMap(({ advertised, direct }) => [advertised, direct]);
  const served = (await Promise.all(addresses.map(namesOf))).flat().sort();
  return [...new Set([lockedAs ?? clusterId ?? name, ...served])];
};

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
