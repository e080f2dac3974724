// What is remembered of idempotent producers: the last five batches of each, so that a batch sent again is answered with its
// first offset instead of being stored twice. Kept as durable as the records: a snapshot in the index, the rest in the slots.
import type { BatchHeader } from './interfaces.ts';

const REMEMBERED_BATCHES = 5;
const SEQUENCES = 2 ** 31;

interface StoredBatch {
  readonly baseSequence: number;
  readonly recordCount: number;
  readonly baseOffset: number;
}

interface Producer {
  readonly epoch: number;
  /** Oldest first, at least one. */
  readonly batches: readonly StoredBatch[];
}

/** JSON form, least recently used producer first: [id, epoch, [[baseSequence, recordCount, baseOffset], …]]. */
export type ProducerSnapshot = readonly (readonly [
  number,
  number,
  readonly (readonly [baseSequence: number, recordCount: number, baseOffset: number])[],
])[];

export type SequenceRuling =
  | { readonly kind: 'new' }
  | { readonly kind: 'duplicate'; readonly baseOffset: number }
  | { readonly kind: 'out-of-order-sequence' }
  | { readonly kind: 'stale-producer-epoch' };

const NEW: SequenceRuling = { kind: 'new' };
const OUT_OF_ORDER: SequenceRuling = { kind: 'out-of-order-sequence' };

export class ProducerStates {
  readonly #limit: number;
  readonly #producers = new Map<number, Producer>();

  constructor(limit: number, snapshot: ProducerSnapshot = []) {
    this.#limit = limit;
    for (const [producerId, epoch, batches] of snapshot) {
      const stored = batches.map(([baseSequence, recordCount, baseOffset]) => ({
        baseSequence,
        recordCount,
        baseOffset,
      }));
      this.#producers.set(producerId, { epoch, batches: stored });
    }
  }

  /**
   * Where a batch stands in its producer's sequence. An unknown producer may begin anywhere (its state may have been forgotten
   * here), a new epoch begins at 0, and anything else must follow the last batch; sequences wrap after 2³¹ − 1.
   */
  check(header: BatchHeader): SequenceRuling {
    const producer = this.#producers.get(header.producerId);
    if (header.producerId < 0 || producer === undefined) return NEW;
    if (header.producerEpoch < producer.epoch) return { kind: 'stale-producer-epoch' };
    if (header.producerEpoch > producer.epoch) return header.baseSequence === 0 ? NEW : OUT_OF_ORDER;
    const same = producer.batches.find(
      (batch) => batch.baseSequence === header.baseSequence && batch.recordCount === header.recordCount,
    );
    if (same !== undefined) return { kind: 'duplicate', baseOffset: same.baseOffset };
    const last = producer.batches.at(-1);
    const expected = last === undefined ? 0 : (last.baseSequence + last.recordCount) % SEQUENCES;
    return header.baseSequence === expected ? NEW : OUT_OF_ORDER;
  }

  /** Remembers a batch that stands at `baseOffset`. */
  record(header: BatchHeader, baseOffset: number): void {
    const { producerId, producerEpoch, baseSequence, recordCount } = header;
    if (producerId < 0) return;
    const before = this.#producers.get(producerId);
    const kept = before?.epoch === producerEpoch ? before.batches.slice(1 - REMEMBERED_BATCHES) : [];
    this.#producers.delete(producerId);
    this.#producers.set(producerId, {
      epoch: producerEpoch,
      batches: [...kept, { baseSequence, recordCount, baseOffset }],
    });
    const oldest = this.#producers.keys().next();
    if (this.#producers.size > this.#limit && oldest.done !== true) this.#producers.delete(oldest.value);
  }

  snapshot(): ProducerSnapshot {
    return [...this.#producers].map(([producerId, { epoch, batches }]) => [
      producerId,
      epoch,
      batches.map((batch) => [batch.baseSequence, batch.recordCount, batch.baseOffset] as const),
    ]);
  }
}
