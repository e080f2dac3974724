// One ownership of one partition, from the end of its takeover to its own end: the parts put together. Writing is in
// appender.ts, uploading in uploader.ts, reading in reader.ts.
import type { Offset } from '../../vocabulary.ts';
import { type AcknowledgedSlot, Appender } from './appender.ts';
import { BatchCache, type CachedRun } from './batch-cache.ts';
import { batchesIn } from './data-object.ts';
import { endOfEpoch } from './epoch-history.ts';
import type { AppendBatch, AppendResult, EpochEnd, FetchResult, LogStats, PartitionLog } from './interfaces.ts';
import { inBackground, isStillOurs, type LogContext } from './log-context.ts';
import { OffsetMark } from './offset-mark.ts';
import type { HeldIndex } from './partition-index.ts';
import { ProducerStates } from './producer-states.ts';
import { Reader } from './reader.ts';
import { isStoreUnavailable } from './store-unavailable.ts';
import { Trimmer } from './trimmer.ts';
import type { LoggedSlot } from './unuploaded-slots.ts';
import { Uploader } from './uploader.ts';
import type { WalTail } from './wal-tail.ts';

/** What a takeover found, and the index as it claimed it. */
export interface Recovered {
  readonly held: HeldIndex;
  readonly tail: WalTail;
  /** Where the first append goes. */
  readonly nextOffset: number;
  /** Whether somebody owned the partition before. */
  readonly isFailover: boolean;
}

const NOTHING_READ: FetchResult = {
  status: 'read',
  records: [],
  sources: { cacheBytes: 0, walBytes: 0, objectBytes: 0 },
};

/** What the uploader keeps of a slot; its bytes are the cache's. */
const asLogged = ({ key, epoch, slot, baseOffset, endOffset, batches }: AcknowledgedSlot): LoggedSlot => ({
  key,
  epoch,
  slot,
  baseOffset,
  endOffset,
  sizeBytes: batches.length,
});

/** The producers as of the recovered end: what the index remembers, and what the slots beyond it tell. */
const rebuildProducers = ({ defects, format, limits }: LogContext, recovered: Recovered): ProducerStates => {
  if (recovered.isFailover && defects.has('forget-producer-state')) return new ProducerStates(limits.producers);
  const producers = new ProducerStates(limits.producers, recovered.held.index.producers);
  for (const slot of recovered.tail.slots) {
    for (const { header } of batchesIn(format, slot.batches)) producers.record(header, header.baseOffset);
  }
  return producers;
};

export class OwnedPartitionLog implements PartitionLog {
  readonly #context: LogContext;
  readonly #logStart: Offset;
  readonly #epochs: HeldIndex['index']['epochs'];
  readonly #cache: BatchCache;
  readonly #appender: Appender;
  readonly #uploader: Uploader;
  readonly #reader: Reader;
  readonly #highWatermark: OffsetMark;
  readonly #isWatermarkStuck: boolean;

  constructor(context: LogContext, recovered: Recovered) {
    const { limits, ownership } = context;
    const { held, tail } = recovered;
    this.#context = context;
    this.#logStart = held.index.logStart as Offset;
    this.#epochs = held.index.epochs;
    this.#isWatermarkStuck = recovered.isFailover && context.defects.has('stale-high-watermark');
    this.#highWatermark = new OffsetMark(this.#isWatermarkStuck ? this.#logStart : tail.endOffset);
    this.#cache = new BatchCache(limits.cacheBytes);
    const trimmer = new Trimmer(context);
    const uploadedProducers = new ProducerStates(limits.producers, held.index.producers);
    const uploaderParts = { cache: this.#cache, trimmer, producers: uploadedProducers, held };
    this.#uploader = new Uploader(context, uploaderParts, tail.slots.map(asLogged));
    for (const slot of tail.slots) this.#cache.add(slot);
    this.#appender = new Appender(context, recovered.nextOffset, rebuildProducers(context, recovered), {
      acknowledged: (slot) => this.#takeAcknowledged(slot),
      acknowledgedInMemory: (run) => this.#serve(run),
    });
    this.#reader = new Reader(context, this.#cache, this.#uploader);
    ownership.signal.addEventListener('abort', () => this.#highWatermark.close());
    trimmer.trim(tail.garbage);
    inBackground(context, async () => await this.#uploader.run(() => this.#appender.writeOut()));
  }

  get leaderEpoch(): number {
    return this.#context.claim.epoch;
  }

  get isOwner(): boolean {
    return this.#context.ownership.isOwner;
  }

  get ended(): Promise<string> {
    return this.#context.ownership.ended;
  }

  get logStart(): Offset {
    return this.#logStart;
  }

  get highWatermark(): Offset {
    return this.#highWatermark.value as Offset;
  }

  get endOffset(): Offset {
    return this.#appender.endOffset as Offset;
  }

  async append(batch: AppendBatch): Promise<AppendResult> {
    if (!this.isOwner) return { outcome: 'not-owner' };
    const backlogBytes = this.#appender.pendingBytes + this.#uploader.slots.sizeBytes;
    if (backlogBytes > this.#context.limits.backlogBytes) return { outcome: 'busy' };
    return await this.#appender.append(batch);
  }

  async fetch(offset: Offset, maxBytes: number): Promise<FetchResult> {
    if (!this.isOwner) return { status: 'not-owner' };
    if (offset < this.logStart || offset > this.endOffset) return { status: 'out-of-range' };
    if (offset >= this.highWatermark) return NOTHING_READ;
    const result = await this.#reader.read(offset, this.highWatermark, maxBytes);
    return result.status === 'missing-object' ? await this.#explainMissing(result) : result;
  }

  async waitForDataAbove(offset: Offset, signal: AbortSignal): Promise<boolean> {
    return await this.#highWatermark.reach(offset + 1, signal);
  }

  async confirmOwnership(): Promise<'owner' | 'not-owner' | 'store-away'> {
    try {
      if (this.isOwner && (await isStillOurs(this.#context))) return 'owner';
    } catch (thrown) {
      if (isStoreUnavailable(thrown)) return 'store-away';
      throw thrown;
    }
    this.#context.ownership.end('a successor holds the epoch');
    return 'not-owner';
  }

  epochEndOffset(epoch: number): EpochEnd | undefined {
    return endOfEpoch(this.#epochs, epoch, this.highWatermark) as EpochEnd | undefined;
  }

  async flush(signal: AbortSignal): Promise<boolean> {
    this.#appender.writeOut();
    return await this.#uploader.flush(this.endOffset, signal);
  }

  dropCache(): void {
    this.#cache.clear();
  }

  resign(): void {
    this.#context.ownership.end('resigned');
  }

  stats(): LogStats {
    return {
      pendingBytes: this.#appender.pendingBytes,
      unuploadedBytes: this.#uploader.slots.sizeBytes,
      cachedBytes: this.#cache.sizeBytes,
      segments: this.#uploader.segments.length,
      uploadedEnd: this.#uploader.end.value as Offset,
    };
  }

  /** An object may be missing because a successor has uploaded and trimmed it. */
  async #explainMissing(result: FetchResult): Promise<FetchResult> {
    const confirmed = await this.confirmOwnership();
    return confirmed === 'owner' ? result : { status: confirmed };
  }

  #takeAcknowledged(slot: AcknowledgedSlot): void {
    this.#uploader.add(asLogged(slot));
    this.#serve(slot);
  }

  /** From now on readers see it. */
  #serve(run: CachedRun): void {
    this.#cache.add(run);
    if (!this.#isWatermarkStuck) this.#highWatermark.advance(Math.max(this.highWatermark, run.endOffset));
  }
}
