// The one counter that orders what a harness writes down, whichever file it goes to and whichever of its threads writes it. Reserve
// a number when a thing happens (a snapshot: when it is asked), not when there is time to write it.

export interface RunOrder {
  /** The next number, 1 first. */
  next(): number;
}

/** One that several threads count on. */
export interface SharedOrder extends RunOrder {
  /** What another thread counts on with: `runOrder(memory)`. */
  readonly memory: SharedArrayBuffer;
}

/** One per part; shared by its ledger and its timeline. */
export const runOrder = (memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)): SharedOrder => {
  const last = new BigInt64Array(memory);
  return { next: () => Number(Atomics.add(last, 0, 1n)) + 1, memory };
};
