// Tells the lanes of a partition that wait for better times that somebody was served there again, so that an outage ends for the
// load when it ends, and not when a lane happens to try again.
import type { Clock } from '../clock.ts';

export class ServiceBell {
  readonly #listeners = new Map<number, Set<() => void>>();

  /** A lane was acknowledged in the partition. */
  ring(partition: number): void {
    for (const listener of this.#listeners.get(partition) ?? []) listener();
  }

  /** Waits for `ms`, or until the bell rings for the partition; false when `stopping` has aborted. */
  async wait(partition: number, ms: number, clock: Clock, stopping: AbortSignal): Promise<boolean> {
    if (stopping.aborted) return false;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    const listeners = this.#listeners.get(partition) ?? new Set();
    this.#listeners.set(partition, listeners.add(wake));
    stopping.addEventListener('abort', wake, { once: true });
    await clock.sleep(ms, woken.signal).catch(() => undefined);
    listeners.delete(wake);
    stopping.removeEventListener('abort', wake);
    return !stopping.aborted;
  }
}
