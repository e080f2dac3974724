// The preparation of one fault: once, or early, while others act that may change whom it is about. Nothing is changed here but what
// `makes` is told of.
import { withDeadline } from './deadline.ts';
import type { FaultContext, PreparedFault } from './fault.ts';
import type { FaultRun } from './fault-run.ts';
import type { MadeBeforehand } from './made-beforehand.ts';
import { whyNoLongerChosen } from './still-chosen.ts';

/** Nothing is changed meanwhile but what `makes` is told of, so that a busy machine may take its time. */
export const PREPARE_DEADLINE_MS = 60_000;
/** Between two early preparations, ms. */
const AGAIN_AFTER_MS = 1000;
/** A timer may fire so much too early, ms. */
const TIMER_MS = 1;

export interface Preparation {
  readonly run: FaultRun;
  readonly made: MadeBeforehand;
  /** Of this fault; its random stream begins anew with each. */
  readonly contextNow: () => FaultContext;
}

/** @throws whatever keeps it from being prepared; what a preparation that was given up was about to make is there by then, or never will be. */
export const prepare = async ({ run, made, contextNow }: Preparation): Promise<PreparedFault> => {
  const { definition, spec, clock, signal } = run;
  const what = `the preparation of ${definition.kind}`;
  let preparing: Promise<PreparedFault> | undefined;
  try {
    return await withDeadline({ clock, ms: PREPARE_DEADLINE_MS, what, signal }, async (own) => {
      preparing = definition.prepare(contextNow(), spec.victim, spec.params, own);
      return await preparing;
    });
  } catch (thrown) {
    if (preparing !== undefined) await made.awaitGivenUp(clock, preparing);
    throw thrown;
  }
};

/** Why a fault that was prepared at `sinceMs`, by `clock.now()`, is not what was asked for any more, in words; undefined where it is. */
const whyOutdated = async (
  { run, contextNow }: Preparation,
  prepared: PreparedFault,
  sinceMs: number,
): Promise<string | undefined> => {
  const { id, strikes, amid, spec, signal } = run;
  const struck = strikes?.byOthers(id, sinceMs);
  const alsoStruck = prepared.victims.filter((node) => struck?.has(node) === true);
  if (alsoStruck.length > 0) return `another fault has ${alsoStruck.join(', ')} in hand`;
  const isWatched = 'partition' in spec.victim;
  if (isWatched) return amid?.whyNotMeant(prepared.brokers);
  return await whyNoLongerChosen(contextNow(), spec.victim, prepared, signal);
};

/** Waits until it is nearly time; false, and it is closed, where it is not what was asked for by then. */
const isDueAsItIs = async (preparation: Preparation, prepared: PreparedFault, sinceMs: number): Promise<boolean> => {
  try {
    // A run that is being stopped needs no other one.
    if ((await preparation.run.nearly?.()) === false) return true;
    if ((await whyOutdated(preparation, prepared, sinceMs)) === undefined) return true;
  } catch (thrown) {
    prepared.close?.();
    throw thrown;
  }
  prepared.close?.();
  return false;
};

/**
 * Prepares a fault that acts amid others, as often as it takes, until it is nearly time for one that is still what was asked for.
 * Undefined where its moment has come without one: then it is to be prepared at its moment.
 */
export const prepareAmidOthers = async (preparation: Preparation): Promise<PreparedFault | undefined> => {
  const { amid, clock, originMs, signal } = preparation.run;
  if (amid === undefined) return undefined;
  const leftMs = (): number => originMs + amid.plannedAt - clock.now();
  while (leftMs() > TIMER_MS && !signal.aborted) {
    const sinceMs = clock.now();
    // Why it failed is told where it still does at its moment.
    const prepared = await prepare(preparation).catch(() => undefined);
    if (prepared !== undefined && (await isDueAsItIs(preparation, prepared, sinceMs))) return prepared;
    await clock.sleep(Math.max(0, Math.min(AGAIN_AFTER_MS, leftMs())), signal).catch(() => undefined);
  }
  return undefined;
};
