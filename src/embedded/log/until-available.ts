// Calls a store again until it answers. There is no other way out but the signal: a write whose answer was lost may still
// happen, so its maker can neither forget it nor put something else in its place.
import type { Clock } from '../../clock.ts';
import { isStoreUnavailable } from './store-unavailable.ts';

/** How long to wait between calls, who can end the waiting, and who is told. */
export interface Patience {
  readonly clock: Clock;
  readonly retryMs: number;
  readonly retryMaxMs: number;
  readonly signal: AbortSignal;
  readonly onAway: (doing: string, error: unknown) => void;
}

/**
 * The result of `call`, made again after every StoreUnavailable, at growing intervals. Throws the signal's reason when it
 * aborts, and whatever else `call` throws.
 */
export const untilAvailable = async <T>(patience: Patience, doing: string, call: () => Promise<T>): Promise<T> => {
  let pauseMs = patience.retryMs;
  for (;;) {
    patience.signal.throwIfAborted();
    try {
      return await call();
    } catch (thrown) {
      if (!isStoreUnavailable(thrown)) throw thrown;
      patience.onAway(doing, thrown);
      await patience.clock.sleep(pauseMs, patience.signal);
      pauseMs = Math.min(pauseMs * 2, patience.retryMaxMs);
    }
  }
};
