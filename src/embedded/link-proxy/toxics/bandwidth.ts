// bandwidth: at most `rate` KB/s (1 KB = 1000 bytes) on each link in this direction. Rate 0 stalls.
import { type Pace, PacedQueue } from '../paced-queue.ts';
import type { Attributes, Stage, StageContext, StageOutput, ToxicType } from '../stage.ts';

const PIECE_MS = 100;
const HOLD_LIMIT_BYTES = 64 * 1024;

/** 1 KB/s is 1 byte in a millisecond. */
const paceOf = ({ rate = 0 }: Attributes): Pace => ({
  pieceBytes: (chunkBytes) => (rate === 0 ? chunkBytes : rate * PIECE_MS),
  costMs: (pieceBytes) => pieceBytes / rate,
});

class BandwidthStage implements Stage {
  readonly holdLimitBytes = HOLD_LIMIT_BYTES;
  readonly #queue: PacedQueue;

  constructor(attributes: Attributes, output: StageOutput, context: StageContext) {
    this.#queue = new PacedQueue(paceOf(attributes), output, context.clock);
  }

  get heldBytes(): number {
    return this.#queue.heldBytes;
  }

  write(chunk: Buffer): void {
    this.#queue.write(chunk);
  }

  end(): void {
    this.#queue.end();
  }

  update(attributes: Attributes): void {
    this.#queue.setPace(paceOf(attributes));
  }

  remove(): void {
    this.#queue.flush();
  }

  dispose(): void {
    this.#queue.stop();
  }
}

export const bandwidth: ToxicType = {
  type: 'bandwidth',
  summary: 'Limits each link to rate KB/s; 0 stalls it.',
  attributes: ['rate'],
  createStage: (attributes, output, context) => new BandwidthStage(attributes, output, context),
};
