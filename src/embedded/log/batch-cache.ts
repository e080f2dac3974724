// Recently appended or read data in memory: runs of whole batches by their first offset. It holds what belongs to the log for
// good and nothing else, and when it is full the lowest offsets go first, since a log is read at its end.
export interface CachedRun {
  readonly baseOffset: number;
  readonly endOffset: number;
  readonly batches: Uint8Array;
}

export class BatchCache {
  readonly #limitBytes: number;
  /** By first offset, ascending. */
  #runs: CachedRun[] = [];
  #sizeBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The run that holds `offset`. */
  find(offset: number): CachedRun | undefined {
    const run = this.#runs[this.#positionAbove(offset) - 1];
    return run !== undefined && offset < run.endOffset ? run : undefined;
  }

  add(run: CachedRun): void {
    const position = this.#positionAbove(run.baseOffset);
    const before = this.#runs[position - 1];
    if (before?.baseOffset === run.baseOffset) {
      this.#sizeBytes -= before.batches.length;
      this.#runs[position - 1] = run;
    } else {
      this.#runs.splice(position, 0, run);
    }
    this.#sizeBytes += run.batches.length;
    while (this.#sizeBytes > this.#limitBytes) this.#sizeBytes -= this.#runs.shift()?.batches.length ?? 0;
  }

  clear(): void {
    this.#runs = [];
    this.#sizeBytes = 0;
  }

  /** The position of the first run that begins above `offset`. */
  #positionAbove(offset: number): number {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#runs[middle]?.baseOffset ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
