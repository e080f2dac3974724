// The one counter that orders what a harness process writes down, whichever file it goes to. Reserve a number when a thing
// happens (a snapshot: when it is asked), not when there is time to write it.

export interface RunOrder {
  /** The next number, 1 first. */
  next(): number;
}

/** One per harness process; shared by its ledger and its timeline. */
export const runOrder = (): RunOrder => {
  let last = 0;
  return { next: () => ++last };
};
