// One lock for each key that somebody is changing. Conditions are evaluated and the change is published while it is held:
// that is what makes `If-None-Match: *` and `If-Match` atomic.

/** First come, first served; a key nobody holds costs no memory. */
export class KeyLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` alone for this key; the next one starts whether it succeeds or throws. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const result = before === undefined ? work() : before.then(work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
