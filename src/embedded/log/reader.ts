// Reads the log: from memory, else from the slot that is not uploaded yet, else a range of the data object. What should be
// there and is not is told, never stepped over.
import type { BatchCache, CachedRun } from './batch-cache.ts';
import { batchesIn, nextStretch, rangeFor } from './data-object.ts';
import type { ByteRange, FetchResult, FetchSources } from './interfaces.ts';
import type { LogContext } from './log-context.ts';
import { LogDamaged } from './log-damaged.ts';
import type { Segment } from './partition-index.ts';
import { decodeSlot } from './slot.ts';
import { isStoreUnavailable } from './store-unavailable.ts';
import type { Uploader } from './uploader.ts';

interface FoundRun extends CachedRun {
  readonly source: keyof FetchSources;
}

/** The part of a run that a fetch returns, and where the next part begins. */
interface Taken {
  readonly bytes: Uint8Array;
  readonly nextOffset: number;
}

/** The object of this key should exist and does not, or is not what was stored. */
class MissingObject extends LogDamaged {
  readonly key: string;

  constructor(key: string, cause?: unknown) {
    super(cause === undefined ? `${key} is missing` : `${key} cannot be read`, { cause });
    this.key = key;
  }
}

/** Reads from the object of this key; whatever is wrong with it, except that the store is away, makes it a missing one. */
const readObject = async <T>(key: string, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (thrown) {
    throw isStoreUnavailable(thrown) ? thrown : new MissingObject(key, thrown);
  }
};

/** What a fetch answers that met this error before it had read anything; other errors are thrown on. */
const failureOf = (thrown: unknown): FetchResult => {
  if (thrown instanceof MissingObject) return { status: 'missing-object', key: thrown.key };
  if (isStoreUnavailable(thrown)) return { status: 'store-away' };
  throw thrown;
};

export class Reader {
  readonly #context: LogContext;
  readonly #cache: BatchCache;
  readonly #uploader: Uploader;

  constructor(context: LogContext, cache: BatchCache, uploader: Uploader) {
    this.#context = context;
    this.#cache = cache;
    this.#uploader = uploader;
  }

  /** Whole batches from the one that holds `offset`, which is within the log, up to `endOffset`. */
  async read(offset: number, endOffset: number, maxBytes: number): Promise<FetchResult> {
    const records: Uint8Array[] = [];
    const sources = { cacheBytes: 0, walBytes: 0, objectBytes: 0 };
    let position = offset;
    let left = maxBytes;
    try {
      while (position < endOffset && (left > 0 || records.length === 0)) {
        const run = await this.#runAt(position, left);
        if (run === undefined) break;
        const taken = this.#take(run, { from: position, to: endOffset }, left, records.length === 0);
        if (taken === undefined) break;
        records.push(taken.bytes);
        sources[run.source] += taken.bytes.length;
        left -= taken.bytes.length;
        position = taken.nextOffset;
      }
    } catch (thrown) {
      const failure = failureOf(thrown);
      if (records.length === 0) return failure;
    }
    return { status: 'read', records, sources };
  }

  /** The batches of `run` within `wanted` that fit in `left` bytes; the first one in any case when `atLeastOne`. */
  #take(run: CachedRun, wanted: { from: number; to: number }, left: number, atLeastOne: boolean): Taken | undefined {
    let start: number | undefined;
    let taken: Taken | undefined;
    for (const { header, at } of batchesIn(this.#context.format, run.batches)) {
      const nextOffset = header.baseOffset + header.recordCount;
      if (nextOffset <= wanted.from) continue;
      start ??= at;
      const end = at + header.lengthBytes;
      const fits = end - start <= left || (atLeastOne && taken === undefined);
      if (header.baseOffset >= wanted.to || !fits) break;
      taken = { bytes: run.batches.subarray(start, end), nextOffset };
    }
    return taken;
  }

  /** A run that holds `offset`; undefined where nothing does. */
  async #runAt(offset: number, maxBytes: number): Promise<FoundRun | undefined> {
    const cached = this.#cache.find(offset);
    if (cached !== undefined) return { ...cached, source: 'cacheBytes' };
    return (await this.#runInLog(offset)) ?? (await this.#runInObject(offset, maxBytes));
  }

  async #runInLog(offset: number): Promise<FoundRun | undefined> {
    const slot = this.#uploader.slots.at(offset);
    if (slot === undefined) return undefined;
    const read = await readObject(slot.key, async () => {
      const bytes = await this.#context.stores.wal.read(slot.key);
      return bytes && decodeSlot(bytes, slot.key);
    });
    if (read !== undefined) return this.#keep(read, 'walBytes');
    if (offset < this.#uploader.end.value) return undefined; // uploaded and trimmed while we asked
    throw new MissingObject(slot.key);
  }

  async #runInObject(offset: number, maxBytes: number): Promise<FoundRun | undefined> {
    const { defects } = this.#context;
    const holder = this.#segmentAt(offset);
    if (holder === undefined) return undefined;
    const wanted = defects.has('cold-read-wrong-range') ? nextStretch(holder, offset) : offset;
    const segment = this.#segmentAt(wanted) ?? holder;
    const range = rangeFor(segment, wanted, maxBytes);
    const skips = defects.has('skip-missing-object');
    const run = await readObject(segment.key, async () => await this.#runOf(segment.key, range)).catch(
      (thrown: unknown) => {
        if (skips && isStoreUnavailable(thrown)) return undefined;
        throw thrown;
      },
    );
    if (run !== undefined) return this.#keep(run, 'objectBytes');
    if (skips) return await this.#runAt(segment.endOffset, maxBytes);
    throw new MissingObject(segment.key);
  }

  #segmentAt(offset: number): Segment | undefined {
    const segment = this.#uploader.segments.findLast(({ baseOffset }) => baseOffset <= offset);
    return segment !== undefined && offset < segment.endOffset ? segment : undefined;
  }

  /** The batches in a range of an object; undefined when there is no such object. */
  async #runOf(key: string, range: ByteRange): Promise<CachedRun | undefined> {
    const object = await this.#context.stores.data.get(key, { range });
    if (object === undefined) return undefined;
    const batches = object.bytes;
    if (batches.length !== range.end - range.start + 1) throw new LogDamaged(`${key} ends early`);
    const headers = batchesIn(this.#context.format, batches).map(({ header }) => header);
    const last = headers.at(-1);
    const endOffset = last === undefined ? 0 : last.baseOffset + last.recordCount;
    return { baseOffset: headers[0]?.baseOffset ?? 0, endOffset, batches };
  }

  #keep(run: CachedRun, source: keyof FetchSources): FoundRun {
    this.#cache.add(run);
    return { ...run, source };
  }
}
