// Puts a container back for a process that knows nothing but its reference from a fault journal: the watchdog and `ackproof heal`.
// Each says "as it should be" only after a look.
import { existsSync } from 'node:fs';
import { EnvironmentError } from '../errors.ts';
import type { ContainerControl } from './container-control.ts';
import { awaitContainer, SHOWN_MS, unlessConflict } from './container-nodes.ts';
import { ContainerRoster } from './container-roster.ts';
import { dockerEndpoint } from './docker-endpoint.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { isNotThere } from './docker-failure.ts';
import { releaseCuts } from './network-cut.ts';
import { NodeContainers } from './node-containers.ts';
import { lockOwnerIsThere, ownerIsThere, projectLocks, unlockProjects } from './project-lock.ts';
import type { ContainerReference, NodeId, NodeState } from './target.ts';

/** The engine that a journal names; its certificates are the user's own, if it is the user's engine. */
const engineOf = async (url: string, signal?: AbortSignal): Promise<DockerEngine> => {
  const usual = dockerEndpoint();
  return await openDockerEngine(usual.url === url ? usual : { url, because: 'the fault journal' }, signal);
};

/** As it is now: `gone` for one that does not run, whoever ended it; undefined where it was removed, and any fault with it. */
export const containerState = async (
  { engine: url, id }: ContainerReference,
  signal?: AbortSignal,
): Promise<NodeState | undefined> => {
  const engine = await engineOf(url, signal);
  try {
    const { status } = await engine.inspect(id, signal);
    return status === 'paused' || status === 'running' ? status : 'gone';
  } catch (thrown) {
    if (isNotThere(thrown)) return undefined;
    throw thrown;
  }
};

/** Control over the one container of a node; undefined where it was removed. */
export const containerOf = async (
  node: NodeId,
  reference: ContainerReference,
  signal?: AbortSignal,
): Promise<ContainerControl | undefined> => {
  if ((await containerState(reference, signal)) === undefined) return undefined;
  return new NodeContainers(
    await engineOf(reference.engine, signal),
    new ContainerRoster([{ node, id: reference.id }]),
  );
};

export const unpauseContainer = async ({ engine: url, id }: ContainerReference, signal: AbortSignal): Promise<void> => {
  const engine = await engineOf(url, signal);
  await unlessConflict(engine.unpause(id, signal));
  const wait = { awaited: 'the container to be no longer paused', deadlineMs: SHOWN_MS, signal };
  await awaitContainer(engine, id, wait, ({ status }) => status !== 'paused');
};

/** Returns once it runs; whether it serves is for others to see. */
export const startContainer = async ({ engine: url, id }: ContainerReference, signal: AbortSignal): Promise<void> => {
  const engine = await engineOf(url, signal);
  await unlessConflict(engine.start(id, signal));
  const wait = { awaited: 'the container to run', deadlineMs: SHOWN_MS, signal };
  await awaitContainer(engine, id, wait, ({ status }) => status === 'running');
};

/** One that is gone by itself is as good as removed. */
const unlessNotThere = async (call: Promise<void>): Promise<void> => {
  await call.catch((thrown: unknown) => {
    if (!isNotThere(thrown)) throw thrown;
  });
};

/** Removes every container, network and volume that a run labelled as its own, its lock last; looks again whether any is left. */
export const removeMarked = async (url: string, runId: string): Promise<void> => {
  const engine = await engineOf(url);
  const labels = { 'ackproof.run': runId };
  // What a helper did to somebody else's network does not go with it.
  await releaseCuts(engine, labels);
  const ids = await engine.containerIds(labels);
  await Promise.all(ids.map(async (id) => await unlessNotThere(engine.removeContainer(id))));
  for (const id of await engine.networkIds(labels)) await unlessNotThere(engine.removeNetwork(id));
  const isLock = new Set(await engine.volumeNames({ ...labels, 'ackproof.lock': '' }));
  for (const name of await engine.volumeNames(labels)) {
    if (!isLock.has(name)) await unlessNotThere(engine.removeVolume(name));
  }
  const left = [
    ...(await engine.containerIds(labels)),
    ...(await engine.networkIds(labels)),
    ...(await engine.volumeNames(labels)).filter((name) => !isLock.has(name)),
  ];
  if (left.length > 0) {
    throw new EnvironmentError(
      'DOCKER_NOT_REMOVED',
      `${left.length} containers, networks or volumes of run ${runId} are still there.`,
      { hint: 'See who still uses them with docker ps -a, end those, then run: ackproof heal --all.' },
    );
  }
  await unlockProjects(engine, runId);
};

/** A container that carries a run's label. */
export interface MarkedContainer {
  readonly runId: string;
  readonly name: string;
  /** Whether the process of its run is there; undefined where nobody can tell. */
  readonly ownerIsThere: boolean | undefined;
}

/** Whether an engine is worth asking: where it has a socket on this machine, that must be there. */
const mayAnswer = (url: string): boolean => !url.startsWith('unix://') || existsSync(url.slice('unix://'.length));

/** True where one of them is there, undefined where nobody can tell. */
const isOneThere = (owners: readonly (boolean | undefined)[]): boolean | undefined =>
  owners.find((each) => each === true) ?? owners.find((each) => each !== undefined);

/** The containers of all runs on the engine that Docker's own command uses; none where none answers. */
export const markedContainers = async (): Promise<readonly MarkedContainer[]> => {
  try {
    const endpoint = dockerEndpoint();
    if (!mayAnswer(endpoint.url)) return [];
    const engine = await openDockerEngine(endpoint);
    const listed = (await engine.listed({ 'ackproof.run': '' })).map(({ name, labels }) => ({
      name,
      labels,
      runId: labels['ackproof.run'] ?? '',
    }));
    const owners = new Map<string, boolean | undefined>();
    for (const { runId } of listed) {
      if (runId === '' || owners.has(runId)) continue;
      const own = listed.filter((each) => each.runId === runId).map(({ labels }) => ownerIsThere(labels));
      // Without its lock a run is told by those of its containers that say whose they are.
      owners.set(runId, (await lockOwnerIsThere(engine, runId)) ?? isOneThere(own));
    }
    return listed.flatMap(({ name, runId }) =>
      runId === '' ? [] : [{ name, runId, ownerIsThere: owners.get(runId) }],
    );
  } catch {
    // Without an engine there are no containers of anybody.
    return [];
  }
};

/** Names of the containers that a run labelled as its own. @throws EnvironmentError when the engine does not answer. */
export const containersOfRun = async (url: string, runId: string): Promise<readonly string[]> => {
  const engine = await engineOf(url);
  return (await engine.listed({ 'ackproof.run': runId })).map(({ name }) => name);
};

/** Names of the volumes by which a run holds its projects. @throws EnvironmentError when the engine does not answer. */
export const locksOfRun = async (url: string, runId: string): Promise<readonly string[]> =>
  await projectLocks(await engineOf(url), runId);

/** The engine that Docker's own command uses. */
export const usualEngine = (): string => dockerEndpoint().url;
