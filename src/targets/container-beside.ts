// A shell script in a container of its own that has the volumes of another one, whether that runs or not.
import type { ContainerFacts } from './container-facts.ts';
import type { DockerEngine } from './docker-engine.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Runs a script to its end beside a container; what it printed. The container for it carries the run's label, and goes with it. */
export const runBeside = async (
  engine: DockerEngine,
  facts: Pick<ContainerFacts, 'id' | 'imageId'>,
  runId: string,
  script: string,
  signal?: AbortSignal,
): Promise<string> => {
  const labels = { 'ackproof.run': runId };
  const id = await engine.startBeside(facts.id, { image: facts.imageId, script, labels }, signal);
  try {
    const wait = { awaited: 'a helper to end', deadlineMs: DEADLINE_MS, everyMs: LOOK_EVERY_MS };
    await waitFor(signal === undefined ? wait : { ...wait, signal }, async () => {
      const { status } = await engine.inspect(id, signal);
      return status === 'exited' ? done(true) : notYet(status);
    });
    return await engine.printed(id, signal);
  } finally {
    await engine.removeContainer(id).catch(() => undefined);
  }
};
