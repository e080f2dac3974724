// The slots that belong to the log and are not uploaded yet, in offset order. Their bytes are in the cache or in the
// write-ahead log.
export interface LoggedSlot {
  readonly key: string;
  readonly epoch: number;
  readonly slot: number;
  readonly baseOffset: number;
  readonly endOffset: number;
  readonly sizeBytes: number;
}

export class UnuploadedSlots {
  readonly #slots: LoggedSlot[] = [];
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  /** End of the newest slot; 0 when there is none. */
  get endOffset(): number {
    return this.#slots.at(-1)?.endOffset ?? 0;
  }

  /** Whether there is a slot that begins below `offset`. */
  beginBelow(offset: number): boolean {
    return (this.#slots[0]?.baseOffset ?? offset) < offset;
  }

  add(slot: LoggedSlot): void {
    this.#slots.push(slot);
    this.#sizeBytes += slot.sizeBytes;
  }

  /** The slot that holds `offset`. */
  at(offset: number): LoggedSlot | undefined {
    let low = 0;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#slots[middle]?.baseOffset ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    const slot = this.#slots[low - 1];
    return slot !== undefined && offset < slot.endOffset ? slot : undefined;
  }

  /** The oldest slots, as many as fit in `maxBytes`, at least one if there is any. */
  oldest(maxBytes: number): readonly LoggedSlot[] {
    let sizeBytes = 0;
    const beyond = this.#slots.findIndex((slot, index) => {
      sizeBytes += slot.sizeBytes;
      return index > 0 && sizeBytes > maxBytes;
    });
    return this.#slots.slice(0, beyond === -1 ? undefined : beyond);
  }

  /** Forgets the `count` oldest. */
  dropOldest(count: number): void {
    for (const slot of this.#slots.splice(0, count)) this.#sizeBytes -= slot.sizeBytes;
  }
}
