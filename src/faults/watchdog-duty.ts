// What the watchdog does, apart from being a process: answer pings, undo faults past their expiry, and put everything back when
// its run dies. It never injects and never judges.
import { systemClock } from '../clock.ts';
import { cleanUpRun, undoOpenFaults } from './clean-up.ts';
import { removeRegistration } from './registration.ts';
import { freshReach } from './undo.ts';

/** The program's one argument, as JSON. */
export interface WatchdogConfig {
  readonly runId: string;
  readonly journalPath: string;
  readonly ephemeral: boolean;
  /** The target's own files, which go with it; absent where it has none, or where they are to be kept. */
  readonly files?: string;
  /** The Docker engine on which everything labelled with the run's id goes with it; absent where nothing does. */
  readonly containers?: string;
}

/** From the run to the watchdog, one JSON document a line. */
export type WatchdogOrder = { readonly ask: 'ping'; readonly number: number } | { readonly ask: 'stop' };

/** The answer to a ping. `acted` tells that it healed something by itself, so nothing more may be injected. */
export interface WatchdogAnswer {
  readonly pong: number;
  readonly acted: boolean;
}

export class WatchdogDuty {
  readonly #config: WatchdogConfig;
  readonly #reach = freshReach();
  readonly #attempted = new Set<string>();
  #acted = false;
  #checking: Promise<void> = Promise.resolve();

  constructor(config: WatchdogConfig) {
    this.#config = config;
  }

  answer(number: number): WatchdogAnswer {
    return { pong: number, acted: this.#acted };
  }

  /** Undoes, once, what is past its expiry while the run lives on: it was suspended, or it hangs. */
  async undoExpired(): Promise<void> {
    this.#checking = this.#checking.catch(() => undefined).then(async () => await this.#undoExpired());
    await this.#checking;
  }

  async #undoExpired(): Promise<void> {
    const now = systemClock.wall();
    // The target is still there, so its faults are undone one by one even where it may be ended with the run.
    const cleanUp = { ...this.#config, ephemeral: false, by: 'watchdog', reach: this.#reach } as const;
    const { undone } = await undoOpenFaults(cleanUp, (fault) => {
      const isExpired = (fault.intent.expires ?? Infinity) < now && !this.#attempted.has(fault.id);
      // From here on, not only once it is done: a ping that comes meanwhile must not let the run inject more.
      if (isExpired) this.#acted = true;
      return isExpired;
    });
    for (const fault of undone) this.#attempted.add(fault.id);
  }

  /** The run is dead. True when nothing of it is left; its registration stays otherwise, for `status` and `heal`. */
  async cleanUp(): Promise<boolean> {
    await this.#checking.catch(() => undefined);
    const left = await cleanUpRun({ ...this.#config, by: 'watchdog', reach: this.#reach });
    if (left.length > 0) return false;
    await removeRegistration(this.#config.runId);
    return true;
  }
}
