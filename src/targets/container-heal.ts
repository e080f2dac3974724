// Puts a container back for a process that knows nothing but its reference from a fault journal: the watchdog and `ackproof heal`.
// Each says "as it should be" only after a look.
import { EnvironmentError } from '../errors.ts';
import { awaitContainer, SHOWN_MS, unlessConflict } from './container-nodes.ts';
import { dockerEndpoint } from './docker-endpoint.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { isNotThere } from './docker-failure.ts';
import type { ContainerReference, NodeState } from './target.ts';

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

export const unpauseContainer = async ({ engine: url, id }: ContainerReference, signal: AbortSignal): Promise<void> => {
  const engine = await engineOf(url, signal);
  await unlessConflict(engine.unpause(id, signal));
  const wait = { awaited: 'the container to be no longer paused', deadlineMs: SHOWN_MS, signal };
  await awaitContainer(engine, id, wait, ({ status }) => status !== 'paused');
};

/** Returns once it runs; whether it serves is for others to see. */
export const startContainer = async ({ engine: url, id }: ContainerReference, signal: AbortSignal): Promise<void> => {
  const engine = await engineOf(url, signal);
  await engine.start(id, signal);
  const wait = { awaited: 'the container to run', deadlineMs: SHOWN_MS, signal };
  await awaitContainer(engine, id, wait, ({ status }) => status === 'running');
};

/** One that is gone by itself is as good as removed. */
const unlessNotThere = async (call: Promise<void>): Promise<void> => {
  await call.catch((thrown: unknown) => {
    if (!isNotThere(thrown)) throw thrown;
  });
};

/** Removes every container and network that a run labelled as its own; looks again whether any is left. */
export const removeMarked = async (url: string, runId: string): Promise<void> => {
  const engine = await engineOf(url);
  const labels = { 'ackproof.run': runId };
  const ids = await engine.containerIds(labels);
  await Promise.all(ids.map(async (id) => await unlessNotThere(engine.removeContainer(id))));
  for (const id of await engine.networkIds(labels)) await unlessNotThere(engine.removeNetwork(id));
  const left = [...(await engine.containerIds(labels)), ...(await engine.networkIds(labels))];
  if (left.length === 0) return;
  throw new EnvironmentError(
    'DOCKER_NOT_REMOVED',
    `${left.length} containers or networks of run ${runId} are still there.`,
  );
};
