// limit_data: passes `bytes` bytes, counted from when it came to this link, then closes the link; 0 closes it at the next chunk.
import type { Attributes, Stage, StageOutput, ToxicType } from '../stage.ts';

class LimitDataStage implements Stage {
  readonly heldBytes = 0;
  readonly holdLimitBytes = 0;
  readonly #output: StageOutput;
  #attributes: Attributes;
  #passedBytes = 0;

  constructor(attributes: Attributes, output: StageOutput) {
    this.#attributes = attributes;
    this.#output = output;
  }

  write(chunk: Buffer): void {
    const left = Math.max(0, (this.#attributes['bytes'] ?? 0) - this.#passedBytes);
    const passed = chunk.subarray(0, left);
    this.#passedBytes += passed.length;
    if (passed.length > 0) this.#output.write(passed);
    if (chunk.length >= left) this.#output.endLink('close');
  }

  end(): void {
    this.#output.end();
  }

  update(attributes: Attributes): void {
    this.#attributes = attributes;
  }

  remove(): void {
    // Nothing is held and nothing was dropped.
  }

  dispose(): void {
    // No timers.
  }
}

export const limitData: ToxicType = {
  type: 'limit_data',
  summary: 'Closes the link after bytes bytes.',
  attributes: ['bytes'],
  createStage: (attributes, output) => new LimitDataStage(attributes, output),
};
