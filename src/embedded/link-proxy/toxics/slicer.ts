// slicer: passes the data on in pieces of `average_size` ± `size_variation` bytes, each `delay` microseconds after the one
// before it.
import { type Pace, PacedQueue } from '../paced-queue.ts';
import type { Attributes, Stage, StageContext, StageOutput, ToxicType } from '../stage.ts';

const HOLD_LIMIT_BYTES = 64 * 1024;

const paceOf = (attributes: Attributes, context: StageContext): Pace => {
  const { average_size: average = 0, size_variation: variation = 0, delay = 0 } = attributes;
  return {
    pieceBytes: () => average - variation + context.random.integer(2 * variation + 1),
    costMs: () => delay / 1000,
  };
};

class SlicerStage implements Stage {
  readonly holdLimitBytes = HOLD_LIMIT_BYTES;
  readonly #queue: PacedQueue;
  readonly #context: StageContext;

  constructor(attributes: Attributes, output: StageOutput, context: StageContext) {
    this.#context = context;
    this.#queue = new PacedQueue(paceOf(attributes, context), output, context.clock);
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
    this.#queue.setPace(paceOf(attributes, this.#context));
  }

  remove(): void {
    this.#queue.flush();
  }

  dispose(): void {
    this.#queue.stop();
  }
}

export const slicer: ToxicType = {
  type: 'slicer',
  summary: 'Cuts the data into pieces of average_size ± size_variation bytes, delay microseconds apart.',
  attributes: ['average_size', 'size_variation', 'delay'],
  check: ({ average_size: average = 0, size_variation: variation = 0 }) =>
    average >= 1 && variation < average
      ? undefined
      : 'average_size must be at least 1 and size_variation smaller than average_size',
  createStage: (attributes, output, context) => new SlicerStage(attributes, output, context),
};
