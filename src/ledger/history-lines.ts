// The lines of a text history (docs/history.md), as types. The timeline of a run directory is written in the same lines, so
// that judging a run and judging its export read the same facts. Times are milliseconds since the start of the run.
import type { Acks, Anomaly, Boundary, FaultEdge, PassEnd, SnapshotMoment, Survival } from '../vocabulary.ts';
import type { StorageLine } from './storage-lines.ts';

export interface Allowance {
  readonly anomaly: Anomaly;
  readonly because: string;
}

/** What an acknowledgement means in this run; decides what is legal. Every field is resolved, none is left to a default. */
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
  readonly survives: readonly Survival[];
  readonly profile: string;
  readonly allow: readonly Allowance[];
  readonly forbid: readonly Anomaly[];
}

export interface TopicDescription {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor?: number;
  readonly exclusive?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface HistoryLine {
  readonly t: 'history';
  readonly version: 1;
  readonly run: string;
  readonly contract: Contract;
  readonly topics: readonly TopicDescription[];
}

interface RecordRun {
  readonly at: number;
  readonly producer: string;
  readonly incarnation: number;
  readonly topic: string;
  readonly partition: number;
  readonly seq: number;
  readonly count: number;
}

export interface SendLine extends RecordRun {
  readonly t: 'send';
}

export interface AckLine extends RecordRun {
  readonly t: 'ack';
  /** The first record's offset; absent when it is not trusted. */
  readonly offset?: number;
  /** The leader epoch that acknowledged, only if the answer itself named it. */
  readonly epoch?: number;
  readonly attempts: number;
  readonly tainted: boolean;
}

export interface ErrorLine extends RecordRun {
  readonly t: 'error';
  readonly code?: number;
  readonly notSent?: boolean;
  readonly attempts: number;
  readonly tainted: boolean;
}

export interface LeaderLine {
  readonly t: 'leader';
  readonly at: number;
  readonly topic: string;
  readonly partition: number;
  readonly leader: number;
  readonly epoch: number;
}

export interface FaultLine {
  readonly t: 'fault';
  readonly at: number;
  readonly fault: string;
  readonly id: string;
  readonly edge: FaultEdge;
  readonly victims?: readonly number[];
  /** Whether the cluster has no broker that is not among the victims. */
  readonly everyBroker?: boolean;
  readonly require?: 'mechanism' | 'all';
}

export interface HarnessLine {
  readonly t: 'harness';
  readonly at: number;
  readonly anomaly: string;
  readonly detail: string;
}

/** Records of one partition that one client reads and another does not, although each came to the end. */
export interface ReaderMiss {
  /** The kind of the client that does not read them. */
  readonly client: string;
  /** The kind of the client that does. */
  readonly shownBy: string;
  readonly topic: string;
  readonly partition: number;
  /** Offsets at which they are shown, both ends included. */
  readonly ranges: readonly { readonly first: number; readonly last: number }[];
}

/** A `client-anomaly` and what it is about; a text history has the `harness` line alone. */
export interface MissLine extends HarnessLine {
  readonly anomaly: 'client-anomaly';
  readonly missed: ReaderMiss;
}

export interface OffsetsLine {
  readonly t: 'offsets';
  readonly at: number;
  readonly when: SnapshotMoment;
  readonly topic: string;
  readonly partition: number;
  readonly earliest: number;
  readonly latest: number;
  readonly latestCommitted?: number;
  readonly topicId?: string;
  readonly epoch?: number;
}

/** Where each leader epoch of a partition begins in its log, as its leader told it; rising. */
export interface EpochsLine {
  readonly t: 'epochs';
  readonly at: number;
  readonly topic: string;
  readonly partition: number;
  readonly starts: readonly { readonly epoch: number; readonly offset: number }[];
}

export interface SentinelLine {
  readonly t: 'sentinel';
  readonly at: number;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface RecordId {
  readonly producer: string;
  readonly incarnation: number;
  readonly seq: number;
  /** Only where it differs from the line's partition. */
  readonly partition?: number;
  /** Only where it differs from the header's run. */
  readonly run?: string;
}

export interface ReadLine {
  readonly t: 'read';
  readonly pass: number | string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Absent = a foreign or unparsable record. */
  readonly id?: RecordId;
  readonly count: number;
  readonly epoch?: number;
  readonly checksum?: 'ok' | 'bad';
  readonly sentinel?: boolean;
  readonly control?: boolean;
  readonly producerId?: number;
  readonly producerEpoch?: number;
}

export interface PassLine {
  readonly t: 'pass';
  readonly pass: number | string;
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly position: number;
  readonly end: PassEnd;
}

export type BodyLine =
  | SendLine
  | AckLine
  | ErrorLine
  | LeaderLine
  | FaultLine
  | HarnessLine
  | OffsetsLine
  | EpochsLine
  | SentinelLine
  | ReadLine
  | PassLine;

/** The lines that `timeline.ndjson` may hold besides phases and notes. */
export type TimelineFact = LeaderLine | FaultLine | HarnessLine | OffsetsLine | EpochsLine | SentinelLine;

/** What only the report reads; the judge and the export pass over these. */
export interface PhaseLine {
  readonly t: 'phase';
  readonly at: number;
  readonly phase: string;
  readonly detail?: string;
}
export interface NoteLine {
  readonly t: 'note';
  readonly at: number;
  /** Who says it: `broker/1`, `store`, `client`, `target`, `watchdog` … */
  readonly source: string;
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
}
/** One evidence sample of a fault: of what kind, what was seen, and whether it is what the fault promises. */
export interface EvidenceLine {
  readonly t: 'evidence';
  readonly at: number;
  readonly id: string;
  readonly kind: 'mechanism' | 'effect' | 'control';
  readonly holds: boolean;
  readonly seen: string;
}
/** A canary or probe-lane sample, for the outage split (brokers, path, client). */
export interface ProbeLine {
  readonly t: 'probe';
  readonly at: number;
  readonly topic: string;
  readonly partition: number;
  readonly route: 'proxied' | 'direct';
  readonly outcome: string;
  readonly ms: number;
}
/**
 * What the part was going to do, written before it did anything, and each pass once more as it begins, also those that nobody
 * planned: a fault or pass that is missing later was not forgotten. Several of them add up.
 */
export interface PlanLine {
  readonly t: 'plan';
  readonly at: number;
  readonly faults: readonly { readonly id: string; readonly fault: string }[];
  readonly passes: readonly string[];
}
/** ackproof itself did nothing for `ms` until now: it was stopped, or starved. A bound is not missed by that time. */
export interface StandstillLine {
  readonly t: 'standstill';
  readonly at: number;
  readonly ms: number;
}
/** The seal of a timeline: its last line. What stands before it is whole only if it fits. */
export interface SealLine {
  readonly t: 'seal';
  readonly at: number;
  /** How many lines stand before it. */
  readonly lines: number;
  /** CRC32C over every byte before it. */
  readonly checksum: number;
}
export type TimelineLine =
  | TimelineFact
  | MissLine
  | PhaseLine
  | NoteLine
  | EvidenceLine
  | ProbeLine
  | PlanLine
  | StandstillLine
  | StorageLine
  | SealLine;
