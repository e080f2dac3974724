// timeout: drops every byte, and closes the link `timeout` milliseconds after the last one came; 0 never closes it. A stream
// that has lost bytes cannot go on, so removing the toxic closes the link.
import type { Attributes, Stage, StageOutput, ToxicType } from '../stage.ts';

class TimeoutStage implements Stage {
  readonly heldBytes = 0;
  readonly holdLimitBytes = 0;
  readonly #output: StageOutput;
  #attributes: Attributes;
  #timer: NodeJS.Timeout | undefined;

  constructor(attributes: Attributes, output: StageOutput) {
    this.#attributes = attributes;
    this.#output = output;
    this.#restart();
  }

  write(): void {
    this.#restart();
  }

  end(): void {
    this.#output.end();
  }

  update(attributes: Attributes): void {
    this.#attributes = attributes;
    this.#restart();
  }

  remove(): void {
    this.#output.endLink('close');
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #restart(): void {
    clearTimeout(this.#timer);
    const { timeout: timeoutMs = 0 } = this.#attributes;
    if (timeoutMs > 0) this.#timer = setTimeout(() => this.#output.endLink('close'), timeoutMs);
  }
}

export const timeout: ToxicType = {
  type: 'timeout',
  summary: 'Drops every byte and closes the link timeout milliseconds after the last one; 0 never closes it.',
  attributes: ['timeout'],
  createStage: (attributes, output) => new TimeoutStage(attributes, output),
};
