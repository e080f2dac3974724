// Puts a container back for a process that knows nothing but its reference from a fault journal: the watchdog and `ackproof heal`.
// Each says "as it should be" only after a look.
import { awaitContainer, SHOWN_MS, unlessConflict } from './container-nodes.ts';
import { dockerEndpoint } from './docker-endpoint.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import type { ContainerReference, NodeState } from './target.ts';

/** The engine that a journal names; its certificates are the user's own, if it is the user's engine. */
const engineOf = async (url: string, signal?: AbortSignal): Promise<DockerEngine> => {
  const usual = dockerEndpoint();
  return await openDockerEngine(usual.url === url ? usual : { url, because: 'the fault journal' }, signal);
};

/** As it is now; `gone` for one that does not run, whoever ended it. */
export const containerState = async ({ engine, id }: ContainerReference, signal?: AbortSignal): Promise<NodeState> => {
  const { status } = await (await engineOf(engine, signal)).inspect(id, signal);
  return status === 'paused' || status === 'running' ? status : 'gone';
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
