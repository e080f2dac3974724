// From an accepted batch to its acknowledgement. Batches that wait together share a slot, several slots are in flight at
// once, and the order of the three steps is the whole point: a slot and every slot before it is durable, *then* it is
// confirmed, then it is acknowledged. One confirmation covers the slots that were durable before it was asked for, and no other.
import type { Offset } from '../../vocabulary.ts';
import type { CachedRun } from './batch-cache.ts';
import type { AppendBatch, AppendResult } from './interfaces.ts';
import { confirmAppends, confirmOwnership, inBackground, type LogContext } from './log-context.ts';
import { type PendingAppend, pendingAppend } from './pending-append.ts';
import type { ProducerStates } from './producer-states.ts';
import { encodeSlot, type Slot } from './slot.ts';
import { writeSlot } from './slot-writer.ts';
import type { Patience } from './until-available.ts';

/** A slot that was acknowledged; its batches stand in the log for good. */
export interface AcknowledgedSlot extends Slot {
  readonly key: string;
}

/** Told as the log grows, in offset order. */
export interface AppendObserver {
  readonly acknowledged: (slot: AcknowledgedSlot) => void;
  /** Only with the defect `ack-before-wal`: acknowledged, and in no slot yet. */
  readonly acknowledgedInMemory: (run: CachedRun) => void;
}

interface WrittenSlot {
  readonly slot: AcknowledgedSlot;
  readonly appends: readonly PendingAppend[];
  durable: boolean;
}

/** Ends with the ownership, except with the defect `no-fencing`: who believes to be the owner does not let go of a write. */
const patienceOf = ({ defects, patience }: LogContext): Patience =>
  defects.has('no-fencing') ? { ...patience, signal: new AbortController().signal } : patience;

export class Appender {
  readonly #context: LogContext;
  readonly #patience: Patience;
  readonly #producers: ProducerStates;
  readonly #events: AppendObserver;
  /** Accepted, in no slot yet. */
  #waiting: PendingAppend[] = [];
  #waitingBytes = 0;
  /** In slots that are not acknowledged, in slot order. */
  #written: WrittenSlot[] = [];
  readonly #pendingByOffset = new Map<number, PendingAppend>();
  #nextSlot = 0;
  #endOffset: number;
  #pendingBytes = 0;
  #confirming = false;

  constructor(context: LogContext, endOffset: number, producers: ProducerStates, events: AppendObserver) {
    this.#context = context;
    this.#patience = patienceOf(context);
    this.#endOffset = endOffset;
    this.#producers = producers;
    this.#events = events;
    context.ownership.signal.addEventListener('abort', () => {
      inBackground(context, async () => await this.#abandonUnlessOurs());
    });
  }

  /** End of what was accepted. */
  get endOffset(): number {
    return this.#endOffset;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  async append(batch: AppendBatch): Promise<AppendResult> {
    const { defects } = this.#context;
    const check = this.#producers.check(batch.header);
    if (check.kind === 'duplicate' && !defects.has('store-retry-twice')) return await this.#repeat(check.baseOffset);
    if (check.kind === 'out-of-order-sequence' || check.kind === 'stale-producer-epoch') {
      return await this.#refuse({ outcome: check.kind });
    }
    const append = this.#accept(batch);
    if (check.kind === 'new') this.#producers.record(batch.header, append.baseOffset);
    if (defects.has('ack-before-wal')) {
      const { baseOffset } = append;
      this.#events.acknowledgedInMemory({ baseOffset, endOffset: this.#endOffset, batches: batch.bytes });
      append.settle(this.#stored(baseOffset, false));
    } else {
      this.writeOut();
    }
    return await append.result;
  }

  /** Puts what waits into slots, as far as slots may be in flight. */
  writeOut(): void {
    while (!this.#patience.signal.aborted && this.#mayWriteSlot()) this.#writeOneSlot(this.#takeGroup());
  }

  /** Beside others in flight goes only a full slot: what waits together costs one write, and less for each batch. */
  #mayWriteSlot(): boolean {
    const { slotBytes, slotsInFlight } = this.#context.limits;
    if (this.#waiting.length === 0) return false;
    const inFlight = this.#written.filter(({ durable }) => !durable).length;
    return inFlight === 0 || (inFlight < slotsInFlight && this.#waitingBytes >= slotBytes);
  }

  /** The answer to a batch that was sent again: that of the first one, once it has one. */
  async #repeat(baseOffset: number): Promise<AppendResult> {
    const first = await this.#pendingByOffset.get(baseOffset)?.result;
    return first === undefined || first.outcome === 'stored' ? this.#stored(baseOffset, true) : first;
  }

  /** A former owner does not know what its successor has stored; only an owner may refuse. */
  async #refuse(refusal: AppendResult): Promise<AppendResult> {
    return (await confirmOwnership(this.#context)) ? refusal : { outcome: 'not-owner' };
  }

  #stored(baseOffset: number, duplicate: boolean): AppendResult {
    const told = this.#context.defects.has('ack-offset-low') ? baseOffset - 1 : baseOffset;
    return { outcome: 'stored', baseOffset: told as Offset, duplicate };
  }

  #accept(batch: AppendBatch): PendingAppend {
    const append = pendingAppend(batch, this.#endOffset);
    this.#context.format.stamp(batch.bytes, 0, append.baseOffset, this.#context.claim.epoch);
    this.#endOffset += batch.header.recordCount;
    this.#pendingBytes += batch.bytes.length;
    this.#pendingByOffset.set(append.baseOffset, append);
    this.#waiting.push(append);
    this.#waitingBytes += batch.bytes.length;
    return append;
  }

  #takeGroup(): readonly PendingAppend[] {
    let sizeBytes = 0;
    const beyond = this.#waiting.findIndex(({ batch }, index) => {
      sizeBytes += batch.bytes.length;
      return index > 0 && sizeBytes > this.#context.limits.slotBytes;
    });
    const group = this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : beyond);
    for (const { batch } of group) this.#waitingBytes -= batch.bytes.length;
    return group;
  }

  #writeOneSlot(appends: readonly PendingAppend[]): void {
    const { claim, space } = this.#context;
    const number = this.#nextSlot++;
    const key = space.keyOf(number);
    const baseOffset = appends[0]?.baseOffset ?? this.#endOffset;
    const endOffset = appends.reduce((end, { batch }) => end + batch.header.recordCount, baseOffset);
    const header = { epoch: claim.epoch, nonce: claim.nonce, slot: number, baseOffset, endOffset };
    const parts = appends.map(({ batch }) => batch.bytes);
    const bytes = encodeSlot(header, parts);
    const batches = bytes.subarray(bytes.length - parts.reduce((sum, part) => sum + part.length, 0));
    const written: WrittenSlot = { slot: { ...header, key, batches }, appends, durable: false };
    this.#written.push(written);
    inBackground(this.#context, async () => {
      if ((await writeSlot(this.#context, key, bytes, this.#patience)) === 'shut-out') {
        this.#context.ownership.end('a successor has shut it out of the write-ahead log');
        return;
      }
      written.durable = true;
      this.writeOut();
      if (!this.#confirming) await this.#confirm();
    });
  }

  /** Asks for confirmation for as long as the oldest slot is durable and not acknowledged. */
  async #confirm(): Promise<void> {
    this.#confirming = true;
    while (this.#written[0]?.durable === true) {
      const firstMissing = this.#written.findIndex(({ durable }) => !durable);
      const covered = firstMissing === -1 ? this.#written.length : firstMissing;
      if (!(await confirmAppends(this.#context))) return;
      for (const written of this.#written.splice(0, covered)) this.#acknowledge(written);
    }
    this.#confirming = false;
  }

  #acknowledge({ slot, appends }: WrittenSlot): void {
    this.#events.acknowledged(slot);
    for (const append of appends) {
      this.#pendingBytes -= append.batch.bytes.length;
      this.#pendingByOffset.delete(append.baseOffset);
      append.settle(this.#stored(append.baseOffset, false));
    }
  }

  /** Ownership has ended: whether what is pending survives is for the successor to find. */
  async #abandonUnlessOurs(): Promise<void> {
    if (await confirmOwnership(this.#context)) return; // only with the defect no-fencing
    for (const append of this.#pendingByOffset.values()) append.settle({ outcome: 'not-owner' });
    this.#pendingByOffset.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#written = [];
    this.#pendingBytes = 0;
  }
}
