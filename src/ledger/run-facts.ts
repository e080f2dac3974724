// A recorded run as the judge reads it, whatever it was stored in: runs of records that were sent, runs of records that were
// read, and what happened around them. Nothing here is a conclusion. Objects are one per batch, never one per record.
import type { Outcome, PassEnd } from '../vocabulary.ts';
import type { EpochsLine, FaultLine, HarnessLine, HistoryLine, LeaderLine, OffsetsLine } from './history-lines.ts';

/** When something happened; `order` decides between equal times. */
export interface Moment {
  /** Milliseconds since the start of the run. */
  readonly at: number;
  readonly order: number;
}

export const isBefore = (one: Moment, other: Moment): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

export const byMoment = (one: Moment, other: Moment): number => one.at - other.at || one.order - other.order;

/** Records `seq … seq + count − 1` of one lane, sent together and with one outcome. */
export interface SentRun {
  readonly producer: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly count: number;
  readonly sent: Moment;
  /** `unknown` also while no outcome is there. */
  readonly outcome: Outcome;
  /** When the outcome was known. */
  readonly settled?: Moment;
  /** The first record's acknowledged offset; absent unless it is `ok` and the offset is trusted. */
  readonly offset?: number;
  /** The leader epoch that acknowledged, if the answer named it. */
  readonly epoch?: number;
  readonly attempts: number;
  readonly tainted: boolean;
}

/** The sender of a record, apart from its partition. */
export interface LaneRuns {
  readonly producer: string;
  readonly incarnation: number;
  /** Sorted by `seq`, disjoint. */
  readonly runs: readonly SentRun[];
}

/** Whom a record that was read claims to be. */
export interface SeenId {
  readonly producer: string;
  readonly incarnation: number;
  readonly seq: number;
  /** The partition it says it was sent to. */
  readonly partition: number;
}

/** `count` consecutive offsets as one pass returned them; with an id, of consecutive sequence numbers. */
export interface ReadRun {
  readonly offset: number;
  readonly count: number;
  /** This run's own record; absent = foreign, sentinel or control. */
  readonly id?: SeenId;
  /** Tells foreign records apart where they name another run; absent = nothing is known of it. */
  readonly foreign?: string;
  readonly epoch?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly bad: boolean;
  readonly sentinel: boolean;
  readonly control: boolean;
}

export interface PassRange {
  readonly from: number;
  readonly position: number;
  readonly end: PassEnd;
  /** How many reads of the pass in this partition were recorded before the range was. */
  readonly readsBefore: number;
}

/** What one pass returned from one partition, in the order it did. */
export interface PassLog {
  /** Position among all passes of the run, by first appearance. */
  readonly index: number;
  readonly name: number | string;
  readonly reads: readonly ReadRun[];
  readonly ranges: readonly PassRange[];
}

export type Placed<T> = T & Moment;

/** Everything recorded of one partition. */
export interface PartitionLog {
  readonly topic: string;
  readonly partition: number;
  readonly lanes: readonly LaneRuns[];
  readonly passes: readonly PassLog[];
  readonly leaders: readonly Placed<LeaderLine>[];
  readonly snapshots: readonly Placed<OffsetsLine>[];
  readonly epochs: readonly Placed<EpochsLine>[];
  readonly sentinels: readonly Placed<{ readonly offset: number }>[];
}

/** Reads of a record in a partition other than the one its id names. */
export interface Stray {
  readonly topic: string;
  /** Where it was read. */
  readonly partition: number;
  readonly pass: number;
  readonly read: ReadRun & { readonly id: SeenId };
}

/** A time in which ackproof itself did nothing; ms since the start of the run. */
export interface Standstill {
  readonly from: number;
  readonly to: number;
}

/** A recorded run. Partitions are loaded one at a time, so that the peak follows the largest one. */
export interface RunFacts {
  readonly header: HistoryLine;
  readonly faults: readonly Placed<FaultLine>[];
  readonly harness: readonly HarnessLine[];
  /** `at` of the last line that has one; 0 without any. */
  readonly lastAt: number;
  /** Names in order of first appearance. */
  readonly passes: readonly (number | string)[];
  /** Partitions of which anything is recorded. */
  readonly partitions: readonly { readonly topic: string; readonly partition: number }[];
  readonly strays: readonly Stray[];
  /** In a run directory; a text history tells none. */
  readonly standstills: readonly Standstill[];
  readonly topicsWithSnapshots: ReadonlySet<string>;
  load(topic: string, partition: number): PartitionLog;
  /** The same without what was sent and read: leaders, snapshots, sentinels and the ranges of the passes. Costs next to nothing. */
  outline(topic: string, partition: number): PartitionLog;
}
