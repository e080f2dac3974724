// Taking a partition over. The order is the safety: the fence is moved first, so that a former owner can acknowledge nothing
// more; only then is the log read, so that all it acknowledged is found; and only the compare-and-set of the index, which
// fixes what was found as the log's past, makes an owner. Stopping anywhere in between leaves a partition without an owner
// and nothing else. The argument is written out in docs/decisions/0002-fencing-by-conditional-write.md.
import type { Offset } from '../../vocabulary.ts';
import { claimFence } from './fence.ts';
import type { LogLimits, LogNotice, Takeover, TakeoverOptions } from './interfaces.ts';
import { partitionKeys } from './keys.ts';
import type { LogContext, TakeoverContext } from './log-context.ts';
import { LogDamaged } from './log-damaged.ts';
import { OwnedPartitionLog, type Recovered } from './owned-partition-log.ts';
import { Ownership } from './ownership.ts';
import { afterClaim, commitIndex, type HeldIndex, readIndex, uploadedEnd } from './partition-index.ts';
import { type Patience, untilAvailable } from './until-available.ts';
import { readWalTail, type WalTail } from './wal-tail.ts';
import type { SlotWriter } from './write-ahead-log.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const DEFAULT_LIMITS: LogLimits = {
  slotsInFlight: 3,
  slotBytes: MIB,
  uploadIntervalMs: 1000,
  objectBytes: 8 * MIB,
  placeBytes: 64 * KIB,
  backlogBytes: 64 * MIB,
  cacheBytes: 32 * MIB,
  retryMs: 20,
  retryMaxMs: 500,
  producers: 1000,
};

/** Everything a takeover works with; `context` outlives it when it succeeds, with the patience of the new owner. */
interface Attempt<C = LogContext> {
  readonly context: C;
  readonly patience: Patience;
  /** As the write-ahead log knows us. */
  readonly writer: SlotWriter;
}

const attemptOf = (options: TakeoverOptions): Attempt<TakeoverContext> => {
  const { stores, format, clock, defects, epoch, brokerId, nonce } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const ownership = new Ownership();
  const report = options.onEvent ?? ((): void => undefined);
  const onAway = (doing: string, error: unknown): void => report({ kind: 'store-away', doing, error });
  const patience = { clock, retryMs: limits.retryMs, retryMaxMs: limits.retryMaxMs, onAway };
  const context = {
    stores,
    format,
    clock,
    defects,
    limits,
    ownership,
    report,
    keys: partitionKeys(options.topicId, options.partition),
    claim: { epoch, brokerId, nonce },
    patience: { ...patience, signal: ownership.signal },
  };
  const { topicId, partition } = options;
  return {
    context,
    patience: { ...patience, signal: options.signal ?? new AbortController().signal },
    writer: { topicId, partition, brokerId, epoch, nonce, defects },
  };
};

/** Opens a space of our own for slots. Nobody knows of it until the index is claimed. */
const withSpace = async ({ context, patience, writer }: Attempt<TakeoverContext>): Promise<Attempt> => {
  const { wal } = context.stores;
  const space = await untilAvailable(patience, 'opening the write-ahead log', async () => await wal.open(writer));
  return { context: { ...context, space }, patience, writer };
};

/**
 * The log beyond `held`, the index as it was read. Undefined when it has to be read again because the index has changed under
 * it: a former owner was still uploading.
 */
const readTail = async (
  { context, patience, writer }: Attempt<TakeoverContext>,
  held: HeldIndex | undefined,
): Promise<WalTail | undefined> => {
  const { stores, format, keys } = context;
  return await untilAvailable(patience, 'reading the write-ahead log', async () => {
    try {
      return await readWalTail({ wal: stores.wal, format, successor: writer }, held?.index);
    } catch (thrown) {
      const now = thrown instanceof LogDamaged ? await readIndex(stores.meta, keys.index) : undefined;
      if (thrown instanceof LogDamaged && now?.etag !== held?.etag) return undefined;
      throw thrown;
    }
  });
};

/** Fixes `tail` as the log's past and opens an extent of our own. Undefined when the index has changed. */
const claimIndex = async (
  { context, patience }: Attempt,
  held: HeldIndex | undefined,
  tail: WalTail,
  attempt: number,
): Promise<Recovered | undefined> => {
  const { stores, keys, claim, defects, space } = context;
  const isFailover = held !== undefined;
  const nextOffset = isFailover && defects.has('reuse-offset') ? uploadedEnd(held.index) : tail.endOffset;
  const commit = { epoch: claim.epoch, commitId: `${claim.nonce}-claim-${attempt}` };
  const next = afterClaim(held?.index, commit, space.place, tail.extents, nextOffset);
  const claimed = await commitIndex(stores.meta, keys.index, held?.etag, next, patience);
  return claimed && { held: claimed, tail, nextOffset, isFailover };
};

const recoveredEvent = ({ held, tail }: Recovered): LogNotice => ({
  kind: 'recovered',
  uploadedEnd: uploadedEnd(held.index) as Offset,
  recoveredEnd: tail.endOffset as Offset,
  slots: tail.slots.length,
});

/**
 * Takes the partition over for `options.epoch`, waiting while a store is away, for as long as `options.signal` allows. Throws
 * the signal's reason when it aborts, and LogDamaged when the stored log cannot be believed.
 */
export const takeOver: Takeover = async (options) => {
  const begun = attemptOf(options);
  const { stores, keys, claim } = begun.context;
  const heldBy = await claimFence(stores.meta, keys.epoch, claim, begun.patience);
  if (heldBy !== undefined) return { status: 'fenced', epoch: heldBy };
  const { patience } = begun;
  for (let round = 1; ; round++) {
    patience.signal.throwIfAborted();
    const held = await untilAvailable(
      patience,
      'reading the index',
      async () => await readIndex(stores.meta, keys.index),
    );
    if (held !== undefined && held.index.epoch >= claim.epoch) return { status: 'fenced', epoch: held.index.epoch };
    const tail = await readTail(begun, held);
    if (tail === undefined) continue;
    const attempt = await withSpace(begun);
    const { context } = attempt;
    const recovered = await claimIndex(attempt, held, tail, round);
    if (recovered === undefined) continue;
    context.report(recoveredEvent(recovered));
    void context.ownership.ended.then((because) => context.report({ kind: 'ended', because }));
    return { status: 'owner', log: new OwnedPartitionLog(context, recovered) };
  }
};
