// What a Kafka client is to the workload: lanes that send one batch at a time, and readers with explicit offsets. A client
// reports what happened to each attempt; it never decides what a result means for the run.
import type { OutcomeProfile } from '../outcomes.ts';
import type { Acks, Address, Outcome, PassEnd } from '../vocabulary.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';

export interface RecordToSend {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, Buffer>>;
}

/** What became of one batch. `ok` without `baseOffset` is stored at an offset that is not trusted. */
export interface LaneResult {
  readonly outcome: Outcome;
  readonly baseOffset?: number;
  readonly attempts: number;
  readonly tainted: boolean;
  readonly code?: number;
  /** Never handed to a socket. */
  readonly notSent?: boolean;
  /** Only if the answer itself named it. */
  readonly leaderEpoch?: number;
  /** Why it is not `ok`, in words. */
  readonly reason?: string;
  /** Set when the client's own result differs from what its bytes say: the run is then about the client. */
  readonly clientAnomaly?: string;
}

/** (producer, partition): a client state of its own, one request in flight. Dead after an `unknown` result. */
export interface Lane {
  send(records: readonly RecordToSend[]): Promise<LaneResult>;
  /** Destroys its sockets; nothing of it can reach a broker afterwards. */
  close(): Promise<void>;
}

/** (producer, two partitions and more): one call of the library for a batch of each, as an application would make it. */
export interface SplitLane {
  /** One batch for each partition, in their order, and what became of each. Dead after an `unknown` among the results. */
  send(batches: readonly (readonly RecordToSend[])[]): Promise<readonly LaneResult[]>;
  close(): Promise<void>;
}

export interface LaneOptions {
  readonly bootstrap: readonly Address[];
  readonly security?: ConnectionSecurity | undefined;
  readonly clientId: string;
  readonly topic: string;
  readonly partition: number;
  readonly acks: Acks;
  readonly idempotence: boolean;
  readonly retry: 'none' | 'same-batch';
  /** After this an attempt's sockets are destroyed, ms. */
  readonly attemptTimeoutMs: number;
  /** After this a batch that is retried is given up, ms. */
  readonly deliveryTimeoutMs: number;
  /** Decides which error codes are definite. */
  readonly profile: OutcomeProfile;
  /** Between two looks for a leader that is away, ms at most, where the client lets that be chosen. */
  readonly lookAgainMs?: number;
}

export interface SplitLaneOptions extends Omit<LaneOptions, 'partition'> {
  readonly partitions: readonly number[];
}

export interface ReadRecord {
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: ReadonlyMap<string, Buffer>;
  readonly control: boolean;
  /** The batch's own checksum does not hold. */
  readonly damaged?: boolean;
  readonly leaderEpoch?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
}

export interface ReadRange {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  /** Ends as `complete` once the position is above this offset *and* `done()` says so; absent = read to `until`. */
  readonly above: number;
  /** True once what the pass waits for (the sentinel) was seen. */
  done(): boolean;
  /** How the range ends when it got there: to the end of the log, or to where it was told. */
  readonly reachedEnd: 'complete' | 'range';
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Others write there, too: a batch that is intact and that the client cannot read is theirs, stepped over and told in `detail`. */
  readonly isShared?: boolean;
  /** Each record once. What it throws is no trouble of the client's: a reader that tries again must not hide it, or give them twice. */
  onRecords(records: readonly ReadRecord[]): void;
}

export interface ReadResult {
  readonly from: number;
  readonly position: number;
  readonly end: PassEnd;
  /** Offsets the client skipped or a checksum it refused, in words. */
  readonly detail?: string;
}

export interface Reader {
  readRange(range: ReadRange): Promise<ReadResult>;
  close(): Promise<void>;
}

export interface ReaderOptions {
  readonly bootstrap: readonly Address[];
  readonly security?: ConnectionSecurity | undefined;
  readonly clientId: string;
}

export interface ClientDefinition {
  readonly kind: string;
  readonly summary: string;
  readonly retries: readonly ('none' | 'same-batch')[];
  /** Loads the client's library when it is first called. Sends nothing. */
  openLane(options: LaneOptions): Promise<Lane>;
  /** Absent where one call of it always goes to one partition. */
  openSplitLane?(options: SplitLaneOptions): Promise<SplitLane>;
  openReader(options: ReaderOptions): Promise<Reader>;
}
