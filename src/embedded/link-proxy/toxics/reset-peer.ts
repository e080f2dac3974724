// reset_peer: `timeout` milliseconds after the next data on the link, both sides get a TCP reset; that data is not passed on.
import type { Attributes, Stage, StageOutput, ToxicType } from '../stage.ts';

class ResetPeerStage implements Stage {
  readonly heldBytes = 0;
  readonly holdLimitBytes = 0;
  readonly #output: StageOutput;
  #attributes: Attributes;
  #timer: NodeJS.Timeout | undefined;

  constructor(attributes: Attributes, output: StageOutput) {
    this.#attributes = attributes;
    this.#output = output;
  }

  write(): void {
    if (this.#timer === undefined) this.#arm();
  }

  end(): void {
    if (this.#timer === undefined) this.#output.end();
  }

  update(attributes: Attributes): void {
    this.#attributes = attributes;
    if (this.#timer === undefined) return;
    this.dispose();
    this.#arm();
  }

  /** Data that came is lost already, so an armed reset is carried out at once. */
  remove(): void {
    if (this.#timer !== undefined) this.#output.endLink('reset');
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    this.#timer = setTimeout(() => this.#output.endLink('reset'), this.#attributes['timeout'] ?? 0);
  }
}

export const resetPeer: ToxicType = {
  type: 'reset_peer',
  summary: 'Resets the link, with RST to both sides, timeout milliseconds after the next data.',
  attributes: ['timeout'],
  createStage: (attributes, output) => new ResetPeerStage(attributes, output),
};
