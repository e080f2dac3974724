// Something that the cluster tells of itself, on its way into the timeline: in words for people, and as data for the report.

export interface ClusterFact {
  /** Which watch tells it: `fenced`, `quorum`, `elr`, `log-dirs/1`, `log-ends`. */
  readonly source: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `1, 2`, or `none`. */
export const idList = (ids: readonly number[]): string => (ids.length === 0 ? 'none' : ids.join(', '));

/** Remembers what was told under each name, so that only changes are told. */
export class ToldBefore {
  readonly #told = new Map<string, string>();

  /** Whether `fact` is another one than the last of that name. */
  isNews(name: string, fact: unknown): boolean {
    const now = JSON.stringify(fact);
    if (this.#told.get(name) === now) return false;
    this.#told.set(name, now);
    return true;
  }
}
