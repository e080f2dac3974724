// What the partition log needs of the world and what the broker gets from it. Types only. The one thing to know: a
// PartitionLog is one ownership of one partition; once it is fenced or resigned it is dead, and a new takeover makes a new one.
import type { Clock } from '../../clock.ts';
import type { BrokerId, DefectName, Offset } from '../../vocabulary.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

/** Both ends inclusive, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** At most one of the two: create only, or replace exactly the object that has this etag. */
export interface PutConditions {
  readonly ifNoneMatch?: true;
  readonly ifMatch?: string;
}

export type PutResult =
  | { readonly status: 'stored'; readonly etag: string }
  | { readonly status: 'precondition-failed' };

export interface StoredObject {
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/**
 * An object store whose conditions are evaluated atomically when the write commits, and whose reads and listings see every
 * write answered before they began. Every call ends within the store client's own deadline. A call that fails throws an
 * error for which `isStoreUnavailable` holds; a put or delete that threw may still commit, now or much later.
 */
export interface ConditionalStore {
  put(key: string, bytes: Uint8Array, conditions: PutConditions): Promise<PutResult>;
  /** Undefined when there is no such object. */
  get(key: string, options?: { readonly range?: ByteRange }): Promise<StoredObject | undefined>;
  /** Deleting what is not there is no error. A call that threw may delete some of them, now or later. */
  deleteAll(keys: readonly string[]): Promise<void>;
  /** Pages of keys in ascending order, each key after `startAfter`. */
  list(prefix: string, startAfter?: string): AsyncIterable<readonly string[]>;
}

/** The three stores; which network path each takes is the caller's choice. */
export interface LogStores {
  /** The epoch object (the fence) and the index object. */
  readonly meta: ConditionalStore;
  readonly wal: WriteAheadLog;
  /** Uploaded data objects. */
  readonly data: ConditionalStore;
}

/** What the log must know of one record batch; the rest of its bytes is opaque. */
export interface BatchHeader {
  readonly baseOffset: number;
  readonly leaderEpoch: number;
  /** Length of the whole batch in bytes. */
  readonly lengthBytes: number;
  readonly recordCount: number;
  /** −1: not idempotent; then the two below mean nothing. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
}

/** How batches are read and stamped; Kafka's form is in kafka-batch-format.ts. */
export interface BatchFormat {
  /** The header of the batch that begins at `at`. Throws on bytes that are no batch. */
  read(bytes: Uint8Array, at: number): BatchHeader;
  /** Writes base offset and leader epoch into the batch that begins at `at`, in place. */
  stamp(bytes: Uint8Array, at: number, baseOffset: number, leaderEpoch: number): void;
}

/** Names of the defects switched on; see src/embedded/defects/. */
export type DefectSet = ReadonlySet<DefectName>;

export interface LogLimits {
  /** Slots of the write-ahead log in flight at once; only full ones go beside others. */
  readonly slotsInFlight: number;
  /** Batches waiting together share a slot up to this size; a larger batch gets a slot of its own. */
  readonly slotBytes: number;
  /** An append is uploaded about this long after it was acknowledged, while the store can be reached. */
  readonly uploadIntervalMs: number;
  readonly objectBytes: number;
  /** A read of an object may begin at the first batch of every stretch of about this size. */
  readonly placeBytes: number;
  /** Appends are refused as `busy` while more than this waits for its acknowledgement or its upload. */
  readonly backlogBytes: number;
  /** Recently appended or read data kept in memory. */
  readonly cacheBytes: number;
  /** First and longest pause before a failed store call is made again. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** Producers whose last batches are remembered; the least recently used is forgotten first. */
  readonly producers: number;
}

/** Told to the broker's log; nothing depends on it. */
export type LogNotice =
  | { readonly kind: 'recovered'; readonly uploadedEnd: Offset; readonly recoveredEnd: Offset; readonly slots: number }
  | { readonly kind: 'ended'; readonly because: string }
  | { readonly kind: 'store-away'; readonly doing: string; readonly error: unknown }
  | { readonly kind: 'uploaded'; readonly from: Offset; readonly to: Offset; readonly sizeBytes: number };

export interface TakeoverOptions {
  readonly stores: LogStores;
  readonly format: BatchFormat;
  readonly clock: Clock;
  readonly topicId: string;
  readonly partition: number;
  readonly brokerId: BrokerId;
  /** Assigned by the controller; also stamped into batches as their leader epoch. */
  readonly epoch: number;
  /** Unique to this attempt at ownership: two attempts never share one, not even in one process. */
  readonly nonce: string;
  readonly defects: DefectSet;
  readonly limits?: Partial<LogLimits>;
  readonly onEvent?: (event: LogNotice) => void;
  /** Gives the takeover up; a takeover given up at any point is harmless. It has no deadline of its own. */
  readonly signal?: AbortSignal;
}

export type TakeoverResult =
  | { readonly status: 'owner'; readonly log: PartitionLog }
  /** Somebody holds `epoch`, which is not lower than ours. */
  | { readonly status: 'fenced'; readonly epoch: number };

export interface AppendBatch {
  /** Exactly one batch. The log owns the bytes from here on and stamps them in place. */
  readonly bytes: Uint8Array;
  readonly header: BatchHeader;
}

/**
 * What became of an append. `not-owner` says nothing about whether the batch survives: answer NOT_LEADER_OR_FOLLOWER (6).
 * The refusals are made before anything is written. `busy`: answer REQUEST_TIMED_OUT (7).
 */
export type AppendResult =
  | { readonly outcome: 'stored'; readonly baseOffset: Offset; readonly duplicate: boolean }
  | { readonly outcome: 'not-owner' }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'out-of-order-sequence' }
  | { readonly outcome: 'stale-producer-epoch' };

/** Bytes of one fetch by where they came from. */
export interface FetchSources {
  readonly cacheBytes: number;
  readonly walBytes: number;
  readonly objectBytes: number;
}

/**
 * Whole batches in offset order; the first may begin below the offset asked for. Empty at the high watermark.
 * `missing-object`: what should be there is not, or is not what was stored; answer KAFKA_STORAGE_ERROR (56), never skip.
 */
export type FetchResult =
  | { readonly status: 'read'; readonly records: readonly Uint8Array[]; readonly sources: FetchSources }
  | { readonly status: 'out-of-range' }
  | { readonly status: 'not-owner' }
  | { readonly status: 'store-away' }
  | { readonly status: 'missing-object'; readonly key: string };

/** Answer of OffsetForLeaderEpoch. Undefined for an epoch above ours: answer UNKNOWN_LEADER_EPOCH (76). */
export interface EpochEnd {
  /** The largest epoch that is not above the one asked for; −1 when there is none. */
  readonly epoch: number;
  readonly endOffset: Offset;
}

export interface LogStats {
  /** Accepted and not yet acknowledged. */
  readonly pendingBytes: number;
  /** Acknowledged and not yet uploaded. */
  readonly unuploadedBytes: number;
  readonly cachedBytes: number;
  readonly segments: number;
  readonly uploadedEnd: Offset;
}

/** One ownership of one partition. */
export interface PartitionLog {
  readonly leaderEpoch: number;
  /** False once fenced or resigned; then everything answers `not-owner`. */
  readonly isOwner: boolean;
  /** Resolves, with the reason, when ownership has ended. Never rejects. */
  readonly ended: Promise<string>;
  readonly logStart: Offset;
  /** End of what may be served and was acknowledged. */
  readonly highWatermark: Offset;
  /** End of what was accepted; nothing above the high watermark is promised. */
  readonly endOffset: Offset;

  /**
   * Stores a batch. Resolves once it is durable *and* the epoch was seen to be still ours after that, or ownership ended; it
   * has no deadline: the caller bounds its own wait, and an append nobody waits for any more may still be stored.
   */
  append(batch: AppendBatch): Promise<AppendResult>;
  /** Reads from `offset`, at least one batch if there is one, further ones while they fit in `maxBytes`. */
  fetch(offset: Offset, maxBytes: number): Promise<FetchResult>;
  /** Resolves true once the high watermark is above `offset`, false when ownership has ended or `signal` aborts. */
  waitForDataAbove(offset: Offset, signal: AbortSignal): Promise<boolean>;
  /**
   * Asks the fence, once: `owner` if this was still the owner after the call began. Ask it, then read the high watermark, when
   * answering ListOffsets: a paused former owner would name an end that has long been passed.
   */
  confirmOwnership(): Promise<'owner' | 'not-owner' | 'store-away'>;
  epochEndOffset(epoch: number): EpochEnd | undefined;
  /**
   * Uploads everything that is accepted when it is called; resolves true when the index holds it, false when ownership ended or
   * `signal` aborted before that.
   */
  flush(signal: AbortSignal): Promise<boolean>;
  /** Forgets every byte of data held in memory, so that the next fetch reads the stores. */
  dropCache(): void;
  /** Gives ownership up: pending appends answer `not-owner`, background work stops. Flush first for a graceful stop. */
  resign(): void;
  stats(): LogStats;
}

/** Takes one partition over; see takeover.ts. */
export type Takeover = (options: TakeoverOptions) => Promise<TakeoverResult>;
