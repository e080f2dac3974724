// What was sent to a partition, batch by batch, as the judge works with it: shapes only, shared by the modules that fill them.
import type { ReadRun, SentRun } from './run-facts.ts';

/** A batch that was sent, with what the judge works out about it. */
export interface SentView {
  readonly run: SentRun;
  /** The acknowledgement with the highest trusted offset before this was sent, and that offset. */
  floor?: { readonly run: SentRun; readonly offset: number };
  /** Passes (by position in the view, the first 30) that show all of it where it was acknowledged. */
  shownBy: number;
  /** Set where something may be wrong with one of its records: each of them is then judged by itself. */
  isSuspect: boolean;
  /** Where its records were read; only of suspects. */
  pieces: Piece[];
}

/** Consecutive records of one batch as one read returned them. */
export interface Piece {
  /** The pass's index in the run. */
  readonly pass: number;
  readonly partition: number;
  readonly offset: number;
  readonly seq: number;
  readonly count: number;
  readonly read: ReadRun;
}

export interface LaneView {
  readonly producer: string;
  readonly incarnation: number;
  /** Sorted by sequence, disjoint. */
  readonly sent: readonly SentView[];
}

/** Records of this run that were read but that nobody sent to the partition they name. */
export interface Unsent extends Piece {
  readonly producer: string;
  readonly incarnation: number;
}

/** Consecutive offsets at which two batches were both acknowledged. */
export interface SharedOffsets {
  readonly first: number;
  readonly last: number;
}
