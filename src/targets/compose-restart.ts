// Starts a Toxiproxy of a project of our own again that answers nobody any more: its process is killed, since one that is wedged may
// hear nothing else, and what it is started with declares every proxy as it was at first.
import { EnvironmentError } from '../errors.ts';
import { toxiproxiesOf } from './compose-map.ts';
import type { ContainerFacts } from './container-facts.ts';
import { awaitContainer, SHOWN_MS, unlessConflict } from './container-nodes.ts';
import type { DockerEngine } from './docker-engine.ts';
import { httpJson } from './http-call.ts';
import type { Address } from './target.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const ANSWERS_MS = 10_000;
const LOOK_EVERY_MS = 50;
const CALL_DEADLINE_MS = 2000;

/** The container whose control API is at an address. */
export const toxiproxyAt = (containers: readonly ContainerFacts[], { host, port }: Address): ContainerFacts => {
  const found = toxiproxiesOf(containers).find(({ admin }) => admin.host === host && admin.port === port);
  if (found !== undefined) return found.container;
  throw new EnvironmentError('TARGET_NO_PROXY', `No Toxiproxy of the project is at ${host}:${port}.`, {
    hint: 'See that the Toxiproxies of the project run and publish their control ports.',
  });
};

/** Returns once its control API answers. */
export const restartToxiproxy = async (
  engine: DockerEngine,
  { id, name }: ContainerFacts,
  admin: Address,
): Promise<void> => {
  await unlessConflict(engine.kill(id, 'SIGKILL'));
  const ended = { awaited: `${name} to be gone`, deadlineMs: SHOWN_MS };
  await awaitContainer(engine, id, ended, ({ status }) => status === 'exited');
  await unlessConflict(engine.start(id));
  await waitFor({ awaited: `${name} to answer again`, deadlineMs: ANSWERS_MS, everyMs: LOOK_EVERY_MS }, async () => {
    try {
      await httpJson({ method: 'GET', address: admin, path: '/proxies', deadlineMs: CALL_DEADLINE_MS });
      return done(true);
    } catch (thrown) {
      return notYet(String(thrown));
    }
  });
};
