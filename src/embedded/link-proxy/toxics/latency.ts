// latency: every chunk arrives `latency` ± `jitter` milliseconds later, in order. Chunks travel side by side: it is a delay, not
// a limit on throughput.
import type { Attributes, Stage, StageContext, StageOutput, ToxicType } from '../stage.ts';

interface Delayed {
  readonly chunk: Buffer;
  readonly arrivedMs: number;
  /** −1 to 1, times jitter. */
  readonly spread: number;
}

const HOLD_LIMIT_BYTES = 32 * 1024 * 1024;

class LatencyStage implements Stage {
  readonly holdLimitBytes = HOLD_LIMIT_BYTES;
  readonly #output: StageOutput;
  readonly #context: StageContext;
  readonly #queue: Delayed[] = [];
  #attributes: Attributes;
  #heldBytes = 0;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(attributes: Attributes, output: StageOutput, context: StageContext) {
    this.#attributes = attributes;
    this.#output = output;
    this.#context = context;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  write(chunk: Buffer): void {
    const spread = this.#context.random.next() * 2 - 1;
    this.#queue.push({ chunk, arrivedMs: this.#context.clock.now(), spread });
    this.#heldBytes += chunk.length;
    if (this.#timer === undefined) this.#pump();
  }

  end(): void {
    this.#ended = true;
    if (this.#queue.length === 0) this.#output.end();
  }

  update(attributes: Attributes): void {
    this.#attributes = attributes;
    this.#pump();
  }

  remove(): void {
    this.dispose();
    this.#release(this.#queue.length);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #dueMs(delayed: Delayed): number {
    const { latency = 0, jitter = 0 } = this.#attributes;
    return delayed.arrivedMs + latency + delayed.spread * jitter;
  }

  #pump(): void {
    this.dispose();
    const now = this.#context.clock.now();
    const waiting = this.#queue.findIndex((delayed) => this.#dueMs(delayed) > now);
    const next = this.#queue[waiting];
    if (next !== undefined) this.#timer = setTimeout(() => this.#pump(), Math.ceil(this.#dueMs(next) - now));
    this.#release(waiting < 0 ? this.#queue.length : waiting);
  }

  #release(count: number): void {
    for (const { chunk } of this.#queue.splice(0, count)) {
      this.#heldBytes -= chunk.length;
      this.#output.write(chunk);
    }
    if (this.#ended && this.#queue.length === 0) this.#output.end();
    this.#output.released();
  }
}

export const latency: ToxicType = {
  type: 'latency',
  summary: 'Delays every chunk by latency ± jitter milliseconds.',
  attributes: ['latency', 'jitter'],
  createStage: (attributes, output, context) => new LatencyStage(attributes, output, context),
};
