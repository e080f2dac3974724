// What the log needs of its write-ahead log, of whatever kind: slots that are durable when it says so, and a way for a successor
// to make sure that whoever wrote before has nothing acknowledged any more. Types only; the kinds are in src/embedded/wal/, why
// each is safe is in docs/decisions/0002 and 0014.
import type { DefectName } from '../../vocabulary.ts';

/** One ownership, as far as its slots are concerned. */
export interface SlotWriter {
  readonly topicId: string;
  readonly partition: number;
  readonly brokerId: number;
  readonly epoch: number;
  /** Unique to this attempt at ownership. */
  readonly nonce: string;
  readonly defects: ReadonlySet<DefectName>;
}

/** What became of one attempt to write a slot; nobody reads the slot of a writer who was shut out. */
export type SlotWrite = 'durable' | 'shut-out';

/** Where one owner writes its slots, and nobody else ever does. */
export interface SlotSpace {
  /** Stands in the index, so that a successor finds the slots and knows whom to shut out. */
  readonly place: string;
  keyOf(slot: number): string;
  /**
   * One attempt to make a slot durable: also a loss of power later leaves it there. Throws StoreUnavailable; the same slot may be
   * written again as often as that takes, and nothing else may be written in its place.
   */
  write(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<SlotWrite>;
  /**
   * Whether the slots that were durable when it was called may be acknowledged: no successor that would not find them had read
   * the log by then. Throws StoreUnavailable.
   */
  confirm(): Promise<boolean>;
}

/** Where an extent of the index has its slots. */
export interface ExtentPlace {
  readonly epoch: number;
  readonly place: string;
  /** Null while its owner may still add to it. */
  readonly endSlot: number | null;
}

export interface ListedSlot {
  readonly key: string;
  readonly epoch: number;
  readonly slot: number;
}

export interface WriteAheadLog {
  /** A space for a new owner, before its successor can know of it. Throws StoreUnavailable; may be called again. */
  open(writer: SlotWriter): Promise<SlotSpace>;
  /**
   * The slots of a partition, for `successor`: first shuts the owners of the open extents out, then looks, so that every slot is
   * there whose writer was told that it may be acknowledged. Also lists slots that no extent names, as far as there are any.
   * Throws StoreUnavailable; may be called again.
   */
  list(successor: SlotWriter, extents: readonly ExtentPlace[]): Promise<readonly ListedSlot[]>;
  /**
   * A slot as a successor may build on it: what it returns stays, also after a loss of power. Undefined when there is no such
   * slot, or only a part of one.
   */
  recover(key: string, successor: SlotWriter): Promise<Uint8Array | undefined>;
  /** A slot that the index or its owner knows of; undefined when it is not there any more. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** Deleting what is not there is no error. A call that threw may delete some of them, now or later. */
  deleteAll(keys: readonly string[]): Promise<void>;
  /** A topic is no more: nobody will look for its slots, so that they need keep no space. */
  forgetTopic(topicId: string): void;
}
