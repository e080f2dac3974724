// Whether something came to pass, looked for a little longer than once: on a busy machine a write whose answer was lost may still
// be on its way when its sender has given up.
import type { Clock } from '../clock.ts';

const INTERVAL_MS = 100;

/** True as soon as `look` is; false when it was not for `forMs`. */
export const seenWithin = async (
  clock: Clock,
  forMs: number,
  look: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> => {
  const until = clock.now() + forMs;
  for (;;) {
    if (await look()) return true;
    if (clock.now() >= until) return false;
    await clock.sleep(INTERVAL_MS, signal);
  }
};
