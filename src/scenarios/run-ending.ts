// How the steps of a run are ended: what was started is ended whatever happened, the first error wins, and what goes wrong while
// cleaning up is attached to it. A verdict that was reached is not lost to a clean-up that failed after it.
import { AckproofError } from '../errors.ts';
import type { RunResult } from '../ledger/judgement.ts';
import { asRunTrouble } from './run-trouble.ts';

/** Runs `work`, then `cleanUp` whatever happened. Where `work` came to a result, what fails afterwards goes into `troubles`. */
export const withCleanUp = async <T>(
  troubles: AckproofError[],
  cleanUp: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> => {
  let result: T;
  try {
    result = await work();
  } catch (thrown) {
    const first = asRunTrouble(thrown);
    await cleanUp().catch((second: unknown) => first.attached.push(second));
    throw first;
  }
  await cleanUp().catch((thrown: unknown) => troubles.push(asRunTrouble(thrown)));
  return result;
};

/** Takes every step, whatever became of those before; throws what the first one threw, with what the others did attached. */
export const endAll = async (...steps: readonly (() => Promise<void> | undefined)[]): Promise<void> => {
  let first: AckproofError | undefined;
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      if (first === undefined) first = asRunTrouble(thrown);
      else first.attached.push(thrown);
    }
  }
  if (first !== undefined) throw first;
};

/** Records that were lost stay lost, and a fault that may still act is the greater worry: both are told before any trouble. */
const outranksTrouble = ({ judgement, heal }: RunResult): boolean => judgement.verdict === 'fail' || heal === 'failed';

/** What `look` makes of it, which may be another result than `first`; a loss that `first` proved stands when `look` breaks. */
export const withSecondLook = async (
  troubles: AckproofError[],
  first: RunResult,
  look: () => Promise<RunResult>,
): Promise<RunResult> => {
  try {
    return await look();
  } catch (thrown) {
    if (!outranksTrouble(first)) throw thrown;
    troubles.push(asRunTrouble(thrown));
    return first;
  }
};

/** Runs `work`; where it breaks and a fault was not healed, that is the greater worry: it comes first, with the way to heal it. */
export const withUnhealedTold = async <T>(
  runId: string,
  unhealedFaults: () => readonly string[],
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (thrown) {
    const faults = unhealedFaults();
    if (faults.length === 0) throw thrown;
    const what = `A fault may still be active (${faults.join(', ')} could not be healed), and the run broke.`;
    const worry = new AckproofError('HEAL_FAILED', 'unhealed', what, { hint: `Run: ackproof heal --run ${runId}` });
    worry.attached.push(thrown);
    throw worry;
  }
};

/** Throws the first of `troubles`, the others attached, unless what `result` says comes before them. */
export const assertEndedWell = (result: RunResult, troubles: readonly AckproofError[]): void => {
  const [first, ...others] = troubles;
  if (first === undefined || outranksTrouble(result)) return;
  first.attached.push(...others);
  throw first;
};
