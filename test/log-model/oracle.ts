// What must be true whatever happened, checked as it is seen. It knows nothing of slots, epochs or indexes: only what producers
// were told and what readers were shown.
import type { TinyBatch } from './tiny-batch.ts';

interface Sent {
  readonly recordCount: number;
  /** One past the highest offset acknowledged when the batch was first sent. */
  readonly floor: number;
}

export class Oracle {
  readonly violations: string[] = [];
  /** What is known to stand at an offset: by an acknowledgement or a read. */
  readonly #batchAt = new Map<number, number>();
  readonly #baseOf = new Map<number, number>();
  readonly #sent = new Map<number, Sent>();
  readonly #acknowledged = new Set<number>();
  /** One past the highest acknowledged offset. */
  #ackedEnd = 0;
  #confirmedEnd = 0;

  get acknowledgedCount(): number {
    return this.#acknowledged.size;
  }

  get ackedEnd(): number {
    return this.#ackedEnd;
  }

  get confirmedEnd(): number {
    return this.#confirmedEnd;
  }

  violate(what: string): void {
    this.violations.push(what);
  }

  /** Batch `id` is about to be sent for the first time. */
  send(id: number, recordCount: number): void {
    this.#sent.set(id, { recordCount, floor: this.#ackedEnd });
  }

  acknowledge(id: number, baseOffset: number): void {
    this.#acknowledged.add(id);
    this.#place(id, baseOffset, 'acknowledged');
    this.#ackedEnd = Math.max(this.#ackedEnd, baseOffset + (this.#sent.get(id)?.recordCount ?? 0));
  }

  /** What a fetch from `offset` returned; the fetch was served below `endOffset`. */
  read(offset: number, endOffset: number, batches: readonly TinyBatch[]): void {
    let expected: number | undefined;
    for (const { id, isIntact, baseOffset, recordCount } of batches) {
      const begins = expected === undefined ? baseOffset <= offset : baseOffset === expected;
      if (!begins) this.violate(`a read from ${offset} jumps to ${baseOffset}, expected ${expected ?? offset}`);
      if (!isIntact) this.violate(`the bytes of batch ${id} at ${baseOffset} have changed`);
      if (recordCount !== this.#sent.get(id)?.recordCount) this.violate(`batch ${id} was never sent like this`);
      expected = baseOffset + recordCount;
      this.#place(id, baseOffset, 'read');
    }
    if (expected !== undefined && expected > endOffset) this.violate(`a read passes the high watermark ${endOffset}`);
    if (expected === undefined && offset < endOffset) this.violate(`a read from ${offset} below ${endOffset} is empty`);
  }

  /** An owner that was confirmed after `floor` was taken says that the log ends at `endOffset`. */
  confirmEnd(endOffset: number, floor: number): void {
    if (endOffset < floor) this.violate(`the end of the log went back from ${floor} to ${endOffset}`);
    this.#confirmedEnd = Math.max(this.#confirmedEnd, endOffset);
  }

  /** A reader has seen exactly the batches at `bases`, in this order, from offset 0 to `endOffset`. */
  finish(bases: readonly number[], endOffset: number): void {
    const seen = new Set(bases);
    for (const [id, baseOffset] of this.#baseOf) {
      if (!seen.has(baseOffset)) {
        const how = this.#acknowledged.has(id) ? 'acknowledged' : 'shown to a reader';
        this.violate(`batch ${id}, ${how} at ${baseOffset}, is missing from the log, which ends at ${endOffset}`);
      }
    }
  }

  #place(id: number, baseOffset: number, how: string): void {
    const sent = this.#sent.get(id);
    const known = this.#baseOf.get(id);
    if (known !== undefined && known !== baseOffset) {
      this.violate(`batch ${id} stands at ${known} and is ${how} at ${baseOffset}`);
    }
    if (known === undefined && sent !== undefined && baseOffset < sent.floor) {
      this.violate(
        `batch ${id} is ${how} at ${baseOffset}, though ${sent.floor - 1} was acknowledged before it was sent`,
      );
    }
    this.#baseOf.set(id, baseOffset);
    for (let offset = baseOffset; offset < baseOffset + (sent?.recordCount ?? 1); offset++) {
      const other = this.#batchAt.get(offset) ?? id;
      if (other !== id) this.violate(`offset ${offset} holds batch ${other} and batch ${id} is ${how} there`);
      this.#batchAt.set(offset, id);
    }
  }
}
