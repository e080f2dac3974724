// Chunks that leave in order at a pace: each piece costs time before it may go. Shared by the toxics that limit and that slice.
import type { Clock } from '../../clock.ts';
import type { StageOutput } from './stage.ts';

export interface Pace {
  /** How many bytes of a chunk of this length go next; at least 1. */
  pieceBytes(chunkBytes: number): number;
  /** Milliseconds before a piece of this length may go; Infinity stalls. */
  costMs(pieceBytes: number): number;
}

/** Timers are whole milliseconds: a piece may leave this much early, so that many small ones keep the pace too. */
const EARLY_MS = 1;

export class PacedQueue {
  readonly #output: StageOutput;
  readonly #clock: Clock;
  readonly #queue: Buffer[] = [];
  #pace: Pace;
  /** The piece on its way out, cut from the head of the queue. */
  #piece: Buffer | undefined;
  #freeAtMs = 0;
  #heldBytes = 0;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(pace: Pace, output: StageOutput, clock: Clock) {
    this.#pace = pace;
    this.#output = output;
    this.#clock = clock;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#queue.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#piece === undefined) this.#pump();
  }

  end(): void {
    this.#ended = true;
    if (this.#heldBytes === 0) this.#output.end();
  }

  /** The piece on its way is charged anew at the new pace. */
  setPace(pace: Pace): void {
    this.stop();
    this.#pace = pace;
    if (this.#piece !== undefined) this.#queue.unshift(this.#piece);
    this.#piece = undefined;
    this.#freeAtMs = 0;
    this.#pump();
  }

  flush(): void {
    this.stop();
    if (this.#piece !== undefined) this.#queue.unshift(this.#piece);
    this.#piece = undefined;
    for (const chunk of this.#queue.splice(0)) this.#pass(chunk);
    this.#settle();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #pump(): void {
    for (;;) {
      this.#piece ??= this.#cut();
      if (this.#piece === undefined) break;
      const waitMs = this.#freeAtMs - this.#clock.now();
      if (waitMs >= EARLY_MS) {
        if (Number.isFinite(waitMs)) this.#timer = setTimeout(() => this.#pump(), waitMs);
        break;
      }
      const piece = this.#piece;
      this.#piece = undefined;
      this.#pass(piece);
    }
    this.#settle();
  }

  /** Takes the next piece off the queue and charges for it. */
  #cut(): Buffer | undefined {
    const head = this.#queue[0];
    if (head === undefined) return undefined;
    const length = Math.min(head.length, this.#pace.pieceBytes(head.length));
    if (length === head.length) this.#queue.shift();
    else this.#queue[0] = head.subarray(length);
    this.#freeAtMs = Math.max(this.#freeAtMs, this.#clock.now()) + this.#pace.costMs(length);
    return head.subarray(0, length);
  }

  #pass(chunk: Buffer): void {
    this.#heldBytes -= chunk.length;
    this.#output.write(chunk);
  }

  #settle(): void {
    if (this.#ended && this.#heldBytes === 0) this.#output.end();
    this.#output.released();
  }
}
