// Deletes slots that nobody will ever need again. It may stop at any point: what is left over is swept by the next takeover,
// and a deletion that arrives late hits a key that is never written again.
import { inBackground, type LogContext } from './log-context.ts';
import { untilAvailable } from './until-available.ts';

/** Slots deleted by one request. */
const KEYS_AT_ONCE = 500;

export class Trimmer {
  readonly #context: LogContext;
  readonly #keys: string[] = [];
  #running = false;

  constructor(context: LogContext) {
    this.#context = context;
  }

  trim(keys: readonly string[]): void {
    this.#keys.push(...keys);
    if (this.#running || this.#keys.length === 0) return;
    this.#running = true;
    inBackground(this.#context, async () => {
      while (this.#keys.length > 0) await this.#deleteAll(this.#keys.splice(0, KEYS_AT_ONCE));
      this.#running = false;
    });
  }

  async #deleteAll(keys: readonly string[]): Promise<void> {
    const { patience, stores } = this.#context;
    await untilAvailable(patience, 'trimming the write-ahead log', async () => {
      await stores.wal.deleteAll(keys);
    });
  }
}
