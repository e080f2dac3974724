// Moves acknowledged slots into data objects. Object first, then the index, then the trim: at every moment each record can be
// found through the index, either in an object that exists or in a slot that no index has moved past.
import type { Offset } from '../../vocabulary.ts';
import type { BatchCache } from './batch-cache.ts';
import { batchesIn, joinBytes, placesOf } from './data-object.ts';
import { confirmOwnership, type LogContext } from './log-context.ts';
import { LogDamaged } from './log-damaged.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { OffsetMark } from './offset-mark.ts';
import { Pacer } from './pacer.ts';
import { afterUpload, commitIndex, type HeldIndex, type Segment, uploadedEnd } from './partition-index.ts';
import type { ProducerStates } from './producer-states.ts';
import { decodeSlot } from './slot.ts';
import type { Trimmer } from './trimmer.ts';
import { untilAvailable } from './until-available.ts';
import { type LoggedSlot, UnuploadedSlots } from './unuploaded-slots.ts';
import { spoilUpload } from './upload-defects.ts';

export interface UploaderParts {
  readonly cache: BatchCache;
  readonly trimmer: Trimmer;
  /** As of the uploaded end. */
  readonly producers: ProducerStates;
  readonly held: HeldIndex;
}

const READS_AT_ONCE = 8;

export class Uploader {
  readonly slots = new UnuploadedSlots();
  /** The end of what the index holds. */
  readonly end: OffsetMark;
  readonly #context: LogContext;
  readonly #parts: UploaderParts;
  readonly #pacer: Pacer;
  #held: HeldIndex;
  #commits = 0;
  /** Only with the defect `index-before-object`: stores the object that the index names already. */
  #storeOwed: (() => Promise<void>) | undefined;

  constructor(context: LogContext, parts: UploaderParts, recovered: readonly LoggedSlot[]) {
    this.#context = context;
    this.#parts = parts;
    this.#held = parts.held;
    this.#pacer = new Pacer(context.clock);
    this.end = new OffsetMark(uploadedEnd(parts.held.index));
    for (const slot of recovered) this.slots.add(slot);
    context.ownership.signal.addEventListener('abort', () => {
      this.end.close();
      this.#pacer.wake();
    });
  }

  get segments(): readonly Segment[] {
    return this.#held.index.segments;
  }

  /** Takes a slot that was just acknowledged; slots come in offset order. A full object's worth is not kept waiting. */
  add(slot: LoggedSlot): void {
    this.slots.add(slot);
    if (this.#context.defects.has('trim-before-commit')) this.#parts.trimmer.trim([slot.key]);
    if (this.end.isAwaited || this.slots.sizeBytes >= this.#context.limits.objectBytes) this.#pacer.wake();
  }

  /** Resolves true once everything below `offset` is uploaded, false when that will not be or `signal` aborts. */
  async flush(offset: number, signal: AbortSignal): Promise<boolean> {
    const reached = this.end.reach(offset, signal);
    this.#pacer.wake();
    return await reached;
  }

  /** Uploads until the ownership ends, whose reason it throws; `beforeRound` is called at the start of each round. */
  async run(beforeRound: () => void): Promise<void> {
    const { clock, ownership, limits } = this.#context;
    let beganAt = clock.now();
    for (;;) {
      await this.#pacer.pause(Math.max(0, beganAt + limits.uploadIntervalMs - clock.now()));
      beganAt = clock.now();
      ownership.signal.throwIfAborted();
      beforeRound();
      if (this.slots.isEmpty) await this.#storeOwedObject();
      const roundEnd = this.slots.endOffset;
      while (this.#isDue(roundEnd)) await this.#uploadOldest();
    }
  }

  /** What came after the round began waits for the next, so that a steady load makes few objects, not many small ones. */
  #isDue(roundEnd: number): boolean {
    if (this.slots.isEmpty) return false;
    const isFull = this.slots.sizeBytes >= this.#context.limits.objectBytes;
    return isFull || this.end.isAwaited || this.slots.beginBelow(roundEnd);
  }

  async #uploadOldest(): Promise<void> {
    const { defects, format, limits } = this.#context;
    const taken = this.slots.oldest(limits.objectBytes);
    const bytes = joinBytes(await mapConcurrently(taken, READS_AT_ONCE, async (slot) => await this.#bytesOf(slot)));
    const batches = batchesIn(format, bytes);
    for (const { header } of batches) this.#parts.producers.record(header, header.baseOffset);
    const segment = this.#segmentOf(taken, placesOf(batches, limits.placeBytes), bytes.length);
    spoilUpload(defects, format, bytes);
    const store = async (): Promise<void> => await this.#store(segment.key, bytes);
    if (defects.has('index-before-object')) {
      await this.#commit(taken, segment);
      await this.#storeOwedObject();
      this.#storeOwed = store;
    } else {
      await store();
      await this.#commit(taken, segment);
    }
  }

  async #storeOwedObject(): Promise<void> {
    await this.#storeOwed?.();
    this.#storeOwed = undefined;
  }

  async #bytesOf(slot: LoggedSlot): Promise<Uint8Array> {
    const run = this.#parts.cache.find(slot.baseOffset);
    if (run?.baseOffset === slot.baseOffset && run.endOffset === slot.endOffset) return run.batches;
    const { patience, stores } = this.#context;
    const bytes = await untilAvailable(
      patience,
      'reading the write-ahead log',
      async () => await stores.wal.read(slot.key),
    );
    if (bytes === undefined) {
      await this.#confirmOwnership(); // a successor may have uploaded and trimmed it
      throw new LogDamaged(`slot ${slot.key} is missing from the write-ahead log`);
    }
    return decodeSlot(bytes, slot.key).batches;
  }

  /** Throws the ownership's reason when a successor holds the epoch. */
  async #confirmOwnership(): Promise<void> {
    if (!(await confirmOwnership(this.#context))) this.#context.ownership.signal.throwIfAborted();
  }

  #segmentOf(taken: readonly LoggedSlot[], places: Segment['places'], sizeBytes: number): Segment {
    const { keys, claim } = this.#context;
    const baseOffset = taken[0]?.baseOffset ?? this.end.value;
    const endOffset = taken.at(-1)?.endOffset ?? baseOffset;
    const key = keys.object(baseOffset, endOffset, claim.epoch, claim.nonce);
    return { baseOffset, endOffset, key, sizeBytes, places };
  }

  /** The key is ours alone, so an object that stands there already is this one. */
  async #store(key: string, bytes: Uint8Array): Promise<void> {
    const { patience, stores } = this.#context;
    await untilAvailable(patience, 'uploading', async () => await stores.data.put(key, bytes, { ifNoneMatch: true }));
  }

  async #commit(taken: readonly LoggedSlot[], segment: Segment): Promise<void> {
    const { claim, keys, ownership, patience, report, stores } = this.#context;
    const last = taken.at(-1);
    if (last === undefined) return;
    // Not for safety, which the compare-and-set gives: so that a fenced owner disturbs its successor's recovery at most once.
    await this.#confirmOwnership();
    const commitId = `${claim.nonce}-${++this.#commits}`;
    const next = afterUpload(this.#held.index, commitId, segment, last, this.#parts.producers.snapshot());
    const held = await commitIndex(stores.meta, keys.index, this.#held.etag, next, patience);
    if (held === undefined) {
      ownership.end('a successor has claimed the index');
      return;
    }
    this.#held = held;
    this.slots.dropOldest(taken.length);
    this.#parts.trimmer.trim(taken.map(({ key }) => key));
    this.end.advance(segment.endOffset);
    const { baseOffset: from, endOffset: to, sizeBytes } = segment;
    report({ kind: 'uploaded', from: from as Offset, to: to as Offset, sizeBytes });
  }
}
