// Bytes of fetches by where they came from, for the harness: a cold pass only counts if it was answered from objects.
import type { FetchSources } from '../log/interfaces.ts';

export class ReadCounters {
  private cacheBytes = 0;
  private walBytes = 0;
  private objectBytes = 0;

  add(sources: FetchSources): void {
    this.cacheBytes += sources.cacheBytes;
    this.walBytes += sources.walBytes;
    this.objectBytes += sources.objectBytes;
  }

  /** Totals since the broker started. */
  totals(): FetchSources {
    return { cacheBytes: this.cacheBytes, walBytes: this.walBytes, objectBytes: this.objectBytes };
  }
}
