// slow_close: the end of the stream is passed on `delay` milliseconds late; data is not touched.
import type { Attributes, Stage, StageOutput, ToxicType } from '../stage.ts';

class SlowCloseStage implements Stage {
  readonly heldBytes = 0;
  readonly holdLimitBytes = 0;
  readonly #output: StageOutput;
  #attributes: Attributes;
  #timer: NodeJS.Timeout | undefined;

  constructor(attributes: Attributes, output: StageOutput) {
    this.#attributes = attributes;
    this.#output = output;
  }

  write(chunk: Buffer): void {
    this.#output.write(chunk);
  }

  end(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#output.end();
    }, this.#attributes['delay'] ?? 0);
  }

  update(attributes: Attributes): void {
    this.#attributes = attributes;
    if (this.#timer === undefined) return;
    this.dispose();
    this.end();
  }

  remove(): void {
    if (this.#timer === undefined) return;
    this.dispose();
    this.#output.end();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

export const slowClose: ToxicType = {
  type: 'slow_close',
  summary: 'Passes the close on delay milliseconds late.',
  attributes: ['delay'],
  createStage: (attributes, output) => new SlowCloseStage(attributes, output),
};
