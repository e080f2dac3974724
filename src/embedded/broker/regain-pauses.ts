// How long to wait before a partition whose ownership ended by itself is asked for again. Each ownership that did not last
// doubles the pause, so that a log that cannot be served costs little; one that lasted begins anew.

const FIRST_MS = 100;
const MOST_MS = 10_000;
const LASTING_MS = 30_000;

export class RegainPauses {
  private readonly next = new Map<string, number>();

  /** The pause, ms, after an ownership of `partition` that lasted `lastedMs`. */
  take(partition: string, lastedMs: number): number {
    const pauseMs = lastedMs >= LASTING_MS ? FIRST_MS : (this.next.get(partition) ?? FIRST_MS);
    this.next.set(partition, Math.min(2 * pauseMs, MOST_MS));
    return pauseMs;
  }

  /** The partition is somebody else's affair now. */
  forget(partition: string): void {
    this.next.delete(partition);
  }
}
