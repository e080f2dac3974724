// How a run is stopped from outside: the first request stops the load and heals at once, the second skips the replay as
// well. Healing itself is never skipped here; a third request ends the program, and the watchdog heals.

import { AckproofError } from '../errors.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** What a wait ends with: where there is nothing to judge yet, it is what the run ends with too. */
const stopped = (signal: StopSignal): AckproofError => {
  const kind = signal === 'SIGINT' ? 'interrupted' : 'terminated';
  return new AckproofError('RUN_STOPPED', kind, `The run was stopped by ${signal} before it had a result.`, {
    hint: 'What it had started was ended, and what it had broken was healed.',
  });
};

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
      this.#load.abort(stopped(signal));
      return 1;
    }
    if (!this.#replay.signal.aborted) {
      this.#replay.abort(stopped(signal));
      return 2;
    }
    return 3;
  }
}
