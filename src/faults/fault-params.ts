// What several faults share of their parameters and of what they say of themselves: known without anything that acts on them.
import type { FaultChanges } from './fault.ts';

/** How a path goes away. */
export const OUTAGE_MODES = ['refuse', 'blackhole', 'reset'] as const;
export type OutageMode = (typeof OUTAGE_MODES)[number];

/** The paths on which requests and answers can be lost. */
export const LOSS_PATHS = ['client', 's3-data', 's3-wal'] as const;
export type LossPath = (typeof LOSS_PATHS)[number];

/** The opt-in without which a disk that holds the only copy of something is not taken away. */
export const LOSE_RECORDS = 'lose-records';

/** The opt-in without which a majority of the controllers is not taken away. */
export const QUORUM_LOSS = 'quorum-loss';

/** The opt-in without which nobody is given other bytes than were written. */
export const CORRUPT = 'corrupt';

/** The opt-in without which not every broker is hit at once. */
export const FULL_OUTAGE = 'full-outage';

/** What a fault of connections does to a proxy. */
export const linkChanges = (): FaultChanges => ({
  meanwhile: 'the proxies of the victims, and every connection through them, whoever uses it',
  undo: 'each proxy is made what it was, field by field, which ends the connections through it once more',
});
