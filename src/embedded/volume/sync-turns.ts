// Syncs of one volume, one at a time; those that come during one share the next.
export class SyncTurns {
  readonly #perform: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(perform: () => Promise<void>) {
    this.#perform = perform;
  }

  /** Ends once a sync has ended that began after the call. */
  async sync(): Promise<void> {
    this.#next ??= this.#turn();
    await this.#next;
  }

  /** Ends once the sync that is under way has ended. */
  async settle(): Promise<void> {
    await this.#running.catch(() => undefined);
  }

  async #turn(): Promise<void> {
    await this.#running.catch(() => undefined);
    this.#next = undefined;
    this.#running = this.#perform();
    await this.#running;
  }
}
