// The life of one ownership. It ends once, for one reason; everything that works for the log listens to its signal.
import { setMaxListeners } from 'node:events';
import { AckproofError } from '../../errors.ts';

/** The reason of an aborted ownership signal. */
class OwnershipEnded extends AckproofError {
  constructor(because: string) {
    super('OWNERSHIP_ENDED', 'environment', `This owner of the partition has ended: ${because}.`);
  }
}

export class Ownership {
  readonly ended: Promise<string>;
  readonly #controller = new AbortController();
  #resolve: (because: string) => void = () => undefined;

  constructor() {
    setMaxListeners(0, this.#controller.signal); // each call that waits for a store listens, and there may be many
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isOwner(): boolean {
    return !this.#controller.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(because: string): void {
    if (!this.isOwner) return;
    this.#controller.abort(new OwnershipEnded(because));
    this.#resolve(because);
  }
}
