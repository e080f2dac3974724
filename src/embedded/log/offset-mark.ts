// An offset that only rises, and those who wait for it to get somewhere: the high watermark, the end of what is uploaded.
interface Wait {
  readonly offset: number;
  readonly resolve: (reached: boolean) => void;
}

export class OffsetMark {
  #value: number;
  readonly #waits = new Set<Wait>();
  #closed = false;

  constructor(value: number) {
    this.#value = value;
  }

  get value(): number {
    return this.#value;
  }

  get isAwaited(): boolean {
    return this.#waits.size > 0;
  }

  advance(value: number): void {
    this.#value = value;
    for (const wait of this.#waits) if (wait.offset <= value) wait.resolve(true);
  }

  /** Resolves true once the mark stands at `offset` or above, false when it never will or `signal` aborts first. */
  async reach(offset: number, signal: AbortSignal): Promise<boolean> {
    if (this.#value >= offset) return true;
    if (this.#closed || signal.aborted) return false;
    return await new Promise<boolean>((resolve) => {
      const settle = (reached: boolean): void => {
        this.#waits.delete(wait);
        signal.removeEventListener('abort', giveUp);
        resolve(reached);
      };
      const giveUp = (): void => settle(false);
      const wait: Wait = { offset, resolve: settle };
      this.#waits.add(wait);
      signal.addEventListener('abort', giveUp);
    });
  }

  /** The mark stays where it is from now on. */
  close(): void {
    this.#closed = true;
    for (const wait of this.#waits) wait.resolve(false);
  }
}
