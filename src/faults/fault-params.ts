// Values that parameters of several faults share: known without anything that acts on them.

/** How a path goes away. */
export const OUTAGE_MODES = ['refuse', 'blackhole', 'reset'] as const;
export type OutageMode = (typeof OUTAGE_MODES)[number];

/** The paths on which requests and answers can be lost. */
export const LOSS_PATHS = ['client', 's3-data', 's3-wal'] as const;
export type LossPath = (typeof LOSS_PATHS)[number];

/** The opt-in without which a disk that holds the only copy of something is not taken away. */
export const LOSE_RECORDS = 'lose-records';

/** The opt-in without which the controllers are not left without a majority. */
export const QUORUM_LOSS = 'quorum-loss';
