// A shell script in a container of its own beside another one, whether that runs or not: it has the other one's volumes or its
// network. It carries its run's label and who started it, so that it is found again whatever becomes of both; and it is removed
// however the script, or the wait for it, ends, unless it is to stay and has said that it does its work.
import type { ContainerFacts } from './container-facts.ts';
import type { Beside } from './docker-api.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isConflict, isNotThere } from './docker-failure.ts';
import { ownerLabels } from './project-lock.ts';
import { done, notYet, waitFor } from './wait-for.ts';

/** A helper that holds something ends by itself after so long, whatever became of those who started it. */
export const HOLD_SECONDS = 24 * 3600;
const DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 50;

export interface BesideOrder extends Pick<Beside, 'script' | 'shares'> {
  readonly runId: string;
  /** By which it is found beside its run's label. */
  readonly labels?: Beside['labels'];
  /** What it prints once it does its work and is to stay; absent for one that does it and ends. */
  readonly stays?: string;
}

/**
 * Runs a script until it has ended, or has printed that it stays; what it printed.
 * @throws DeadlineError where it does neither in time, and whatever the engine or the signal throws; the container is gone then.
 */
export const runBeside = async (
  engine: DockerEngine,
  { id, imageId: image }: Pick<ContainerFacts, 'id' | 'imageId'>,
  { runId, script, shares, labels = {}, stays }: BesideOrder,
  signal?: AbortSignal,
): Promise<string> => {
  const marked = { 'ackproof.run': runId, ...ownerLabels(), ...labels };
  const helper = await engine.startBeside(
    id,
    { image, script, labels: marked, ...(shares !== undefined && { shares }) },
    signal,
  );
  let isToStay = false;
  try {
    const isAtWork = (printed: string): boolean => stays !== undefined && printed.includes(stays);
    const wait = { awaited: 'a helper to have done its work', deadlineMs: DEADLINE_MS, everyMs: LOOK_EVERY_MS };
    const said = await waitFor(signal === undefined ? wait : { ...wait, signal }, async () => {
      const { status } = await engine.inspect(helper, signal);
      const printed = await engine.printed(helper, signal);
      return status === 'exited' || isAtWork(printed) ? done(printed) : notYet(status);
    });
    isToStay = isAtWork(said);
    return said;
  } finally {
    if (!isToStay) await engine.removeContainer(helper).catch(() => undefined);
  }
};

/** Removes a helper, by us or by whoever is at it already; returns once it is gone. @throws DeadlineError where it stays. */
export const removeHelper = async (engine: DockerEngine, id: string, signal?: AbortSignal): Promise<void> => {
  await engine.removeContainer(id, signal).catch((thrown: unknown) => {
    if (!isNotThere(thrown) && !isConflict(thrown)) throw thrown;
  });
  const wait = { awaited: 'a helper to be gone', deadlineMs: DEADLINE_MS, everyMs: LOOK_EVERY_MS };
  await waitFor(signal === undefined ? wait : { ...wait, signal }, async () => {
    const isGone = await engine.inspect(id, signal).then(
      () => false,
      (thrown: unknown) => {
        if (isNotThere(thrown)) return true;
        throw thrown;
      },
    );
    return isGone ? done(true) : notYet('it is still there');
  });
};
