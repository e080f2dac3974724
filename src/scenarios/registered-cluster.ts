// The embedded cluster by itself, known to `status` and `heal` like a run: whoever started it may be killed, and what is left
// then must be found by somebody who knows nothing of it.
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { registerRun, removeRegistration } from '../faults/registration.ts';
import {
  type StandaloneCluster,
  type StandaloneOptions,
  startCluster as startStandalone,
  stopClusters as stopStandalone,
} from '../targets/standalone-cluster.ts';

const register = async (runId: string, directory: string): Promise<void> => {
  await registerRun({
    runId,
    runDirectory: directory,
    // Nothing is broken here, so there is none; its place is where one would be looked for.
    journalPath: join(directory, 'journal.ndjson'),
    ephemeral: true,
    files: directory,
    target: 'embedded',
    wallMs: systemClock.wall(),
  });
};

/** Starts a cluster of the default settings; disposing it ends it, removes its files and forgets it. */
export const startCluster = async (options: Omit<StandaloneOptions, 'onPlace'>): Promise<StandaloneCluster> => {
  let registered: string | undefined;
  const onPlace = async (id: string, directory: string): Promise<void> => {
    await register(id, directory);
    registered = id;
  };
  try {
    const cluster = await startStandalone({ ...options, onPlace });
    return {
      ...cluster,
      [Symbol.asyncDispose]: async () => {
        await cluster[Symbol.asyncDispose]();
        await removeRegistration(cluster.id);
      },
    };
  } catch (thrown) {
    if (registered !== undefined) await removeRegistration(registered);
    throw thrown;
  }
};

/** Ends every cluster that was started by itself, in whatever terminal; returns one line for each, or that there was none. */
export const stopClusters = async (directory?: string): Promise<string> => {
  const ids = await stopStandalone(directory);
  for (const id of ids) await removeRegistration(id);
  return ids.length === 0 ? 'No cluster is running.' : ids.map((id) => `Ended ${id}.`).join('\n');
};
