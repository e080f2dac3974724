// One run per compose project, whoever starts it and from wherever: a volume with a fixed name on the engine that the project runs on.
// Whether it was there already the engine decides, one at a time; its labels say whose it is. It outlives an engine that is restarted.
import { hostname } from 'node:os';
import { isoTime, systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { DockerEngine, Labels } from './docker-engine.ts';
import { isNotThere } from './docker-failure.ts';
import { findProcess, readProcess } from './process-table.ts';

const LOCK_LABEL = 'ackproof.lock';
const RUN_LABEL = 'ackproof.run';
const OWNER_LABEL = 'ackproof.owner';

const lockName = (project: string): string => `ackproof-lock-${project}`;

const ownerLabel = (): string => `${hostname()} ${process.pid} ${readProcess(process.pid)?.startedAt ?? 0}`;

/** What tells whose something on an engine is. */
export const ownerLabels = (): Labels => ({ [OWNER_LABEL]: ownerLabel() });

/** Whether the process that owns what carries the labels is there; undefined where this machine cannot tell. */
export const ownerIsThere = (labels: Labels): boolean | undefined => {
  const [host, pid = '', startedAt = ''] = (labels[OWNER_LABEL] ?? '').split(' ');
  if (host !== hostname() || pid === '' || startedAt === '') return undefined;
  return findProcess({ pid: Number(pid), startedAt: Number(startedAt) }) !== undefined;
};

const lockedError = (project: string, labels: Labels): EnvironmentError => {
  const run = labels[RUN_LABEL] ?? 'unknown';
  const [host = 'unknown', pid = 'unknown'] = (labels[OWNER_LABEL] ?? '').split(' ');
  const isThere = ownerIsThere(labels);
  const who = isThere === false ? ', whose process is gone' : ` (process ${pid} on ${host})`;
  const putBack = `Put back what it left: ackproof heal --run ${run}; where that knows no such run: docker volume rm ${lockName(project)}`;
  return new EnvironmentError('TARGET_LOCKED', `The compose project "${project}" is in use by run ${run}${who}.`, {
    hint: isThere === false ? putBack : 'Wait for that run to end.',
  });
};

/** Locks a project for a run. @throws EnvironmentError that names the run which holds it. */
export const lockProject = async (
  engine: DockerEngine,
  project: string,
  runId: string,
  signal?: AbortSignal,
): Promise<void> => {
  const mine = {
    [LOCK_LABEL]: project,
    [RUN_LABEL]: runId,
    [OWNER_LABEL]: ownerLabel(),
    'ackproof.start': isoTime(systemClock.wall()),
  };
  const labels = await engine.claimVolume(lockName(project), mine, signal);
  if (labels[RUN_LABEL] !== runId || labels[OWNER_LABEL] !== mine[OWNER_LABEL]) throw lockedError(project, labels);
};

/** The volumes that a run holds projects with. */
export const projectLocks = async (engine: DockerEngine, runId: string): Promise<readonly string[]> =>
  await engine.volumeNames({ [LOCK_LABEL]: '', [RUN_LABEL]: runId });

/** Gives free whatever a run locked on an engine; what others locked is left alone. */
export const unlockProjects = async (engine: DockerEngine, runId: string): Promise<void> => {
  for (const name of await projectLocks(engine, runId)) {
    await engine.removeVolume(name).catch((thrown: unknown) => {
      if (!isNotThere(thrown)) throw thrown;
    });
  }
};

/** Whether the process of a run that locked a project is there; undefined where nobody can tell. */
export const lockOwnerIsThere = async (engine: DockerEngine, runId: string): Promise<boolean | undefined> => {
  const [name] = await projectLocks(engine, runId);
  if (name === undefined) return undefined;
  return ownerIsThere(await engine.volumeLabels(name));
};
