// How a run is stopped from outside: the first request stops the load and heals at once, the second skips the replay as
// well. Healing itself is never skipped here; a third request ends the program, and the watchdog heals.

export type StopSignal = 'SIGINT' | 'SIGTERM';

export class Interruption {
  readonly #load = new AbortController();
  readonly #replay = new AbortController();
  #signal: StopSignal | undefined;

  /** Aborted by the first request: stop the load, heal. */
  get load(): AbortSignal {
    return this.#load.signal;
  }

  /** Aborted by the second request: skip the replay too. */
  get replay(): AbortSignal {
    return this.#replay.signal;
  }

  get signal(): StopSignal | undefined {
    return this.#signal;
  }

  /** Returns how many times it has been asked, this time included. */
  request(signal: StopSignal): 1 | 2 | 3 {
    this.#signal ??= signal;
    if (!this.#load.signal.aborted) {
      this.#load.abort(new Error(`interrupted by ${signal}`));
      return 1;
    }
    if (!this.#replay.signal.aborted) {
      this.#replay.abort(new Error(`interrupted again by ${signal}`));
      return 2;
    }
    return 3;
  }
}
