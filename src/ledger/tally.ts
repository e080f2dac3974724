// Counts what passes show: what two passes show alike counts once, what one pass shows twice counts twice.

/** Tells `found` once for each time that some pass shows a thing more often than every pass before it. */
export class Tally {
  readonly #most = new Map<string, number>();
  readonly #now = new Map<string, number>();

  nextPass(): void {
    this.#now.clear();
  }

  /** True if this occurrence is to be counted. */
  isNew(key: string): boolean {
    const now = (this.#now.get(key) ?? 0) + 1;
    this.#now.set(key, now);
    if (now <= (this.#most.get(key) ?? 0)) return false;
    this.#most.set(key, now);
    return true;
  }
}
