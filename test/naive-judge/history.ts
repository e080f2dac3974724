// A text history as plain data: every `count` expanded into single records, every default filled in, −1 turned into
// "absent". The rules read nothing but this; all the lists keep the order of the lines.
import type { Acks, Boundary, FaultEdge, Outcome, PassEnd, SnapshotMoment } from '../../src/vocabulary.ts';

export interface Contract {
  readonly acks: Acks;
  readonly idempotence: boolean;
  readonly transactions: boolean;
  readonly minInSyncReplicas: number;
  readonly boundary: Boundary;
  readonly deliveryTimeoutMs: number;
  readonly uncleanLeaderElection: boolean;
  readonly uniqueKeys: boolean;
  readonly deleteRecords: boolean;
  readonly laggingReads: boolean;
  readonly survives: readonly string[];
  readonly profile: string;
  readonly allow: readonly string[];
  readonly forbid: readonly string[];
}

export interface Topic {
  readonly topic: string;
  readonly partitions: number;
  /** Absent means more than 1. */
  readonly replicationFactor: number | undefined;
  readonly exclusive: boolean;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Where and when something was acknowledged; rule 14 asks about it. `line` decides what is before and after. */
export interface Acknowledgement {
  readonly line: number;
  readonly atMs: number;
  /** Absent: not trusted. */
  readonly offset: number | undefined;
  readonly epoch: number | undefined;
}

/** One record that was handed over, with its outcome and every read that showed it, wherever that was. */
export interface SentRecord {
  readonly topic: string;
  readonly partition: number;
  readonly producer: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly sendLine: number;
  readonly sendAtMs: number;
  outcome: Outcome;
  hasOutcomeLine: boolean;
  attempts: number;
  tainted: boolean;
  /** Present on `ok` records only. */
  ack: Acknowledgement | undefined;
  readonly reads: Read[];
}

/** One offset that a pass returned. */
export interface Read {
  readonly pass: string;
  /** Counts the ranges of one pass over one partition: reads before the first `pass` line have 0, and so on. */
  readonly range: number;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** `own`: it carries an id of this run, sent or not. */
  readonly kind: 'own' | 'foreign' | 'sentinel' | 'control';
  /** Two reads show the same record when these are equal. */
  readonly identity: string;
  /** The record of this run that it shows; absent for a phantom. */
  readonly sent: SentRecord | undefined;
  readonly epoch: number | undefined;
  readonly corrupt: boolean;
  readonly producerId: number | undefined;
  readonly producerEpoch: number | undefined;
}

/** One `pass` line. */
export interface PassRange {
  readonly pass: string;
  readonly from: number;
  readonly position: number;
  readonly end: PassEnd;
}

export interface Snapshot {
  readonly line: number;
  readonly atMs: number;
  readonly when: SnapshotMoment;
  readonly earliest: number;
  readonly latest: number;
  readonly topicId: string | undefined;
  readonly epoch: number | undefined;
}

export interface LeaderLine {
  readonly line: number;
  readonly atMs: number;
  /** Absent: no leader. */
  readonly leader: number | undefined;
  readonly epoch: number | undefined;
}

export interface FaultLine {
  readonly line: number;
  readonly fault: string;
  readonly id: string;
  readonly edge: FaultEdge;
  readonly victims: readonly number[] | undefined;
  readonly mechanismOnly: boolean;
}

export interface EpochStart {
  readonly epoch: number;
  readonly offset: number;
}

export interface Sentinel {
  readonly line: number;
  readonly offset: number;
}

/** Everything that the lines say about one partition, and what holds for all of them. */
export interface Partition {
  readonly contract: Contract;
  readonly topic: Topic;
  readonly partition: number;
  readonly faults: readonly FaultLine[];
  /** All passes of the history, ordered by first appearance. */
  readonly passes: readonly string[];
  readonly sent: SentRecord[];
  readonly reads: Read[];
  readonly ranges: PassRange[];
  readonly snapshots: Snapshot[];
  readonly leaders: LeaderLine[];
  readonly sentinels: Sentinel[];
  /** The starts that each `epochs` line tells. */
  readonly epochs: (readonly EpochStart[])[];
  /** Epochs that `ack` lines of this partition name. */
  readonly ackEpochs: number[];
}

export interface History {
  readonly contract: Contract;
  readonly topics: readonly Topic[];
  readonly partitions: readonly Partition[];
  readonly faults: readonly FaultLine[];
  readonly passes: readonly string[];
  readonly harnessLines: number;
}
