// Lets a fault act, and stops waiting for it soon after the run is aborted: healing must begin whether the act came to its end
// or not.
import type { Clock } from '../clock.ts';
import type { Begun, PreparedFault } from './fault.ts';

/** How long an aborted `apply` may take to give up before healing begins all the same. */
const GIVES_UP_MS = 2000;

/** What `apply` answered, or `aborted` when it did not give up in time. Whatever `apply` throws is passed on. */
export const applyOrGiveUp = async (
  clock: Clock,
  prepared: Pick<PreparedFault, 'apply'>,
  signal: AbortSignal,
  begun: Begun,
): Promise<{ readonly answer: string } | 'aborted'> => {
  const applying = prepared.apply(signal, begun);
  const aborted = new Promise<'aborted'>((resolve) => {
    const giveUp = (): void => {
      void clock.sleep(GIVES_UP_MS).then(() => resolve('aborted'));
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  return await Promise.race([applying, aborted]);
};
