// The limit on what one run may write: a drill that is forgotten over a weekend must not fill the disk that the cluster needs.
// Everything below the run directory counts, the files of a cluster that was made for the run included.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { formatSize } from '../units.ts';

export interface SizeLimit {
  readonly directory: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Called once, with a sentence that says how much there was. */
  readonly onExceeded: (what: string) => void;
}

export interface SizeWatch extends AsyncDisposable {
  /** Aborted when there is more than there may be; its reason says so in a sentence. */
  readonly exceeded: AbortSignal;
  /** Looks now. */
  look(): Promise<void>;
}

const LEAST_PAUSE_MS = 250;
/** Looking takes at most one part in so many of the time, unless a look takes long because the machine is busy. */
const PAUSE_SHARE = 20;
const MOST_PAUSE_MS = 2000;

/** Bytes of all files below a folder. What vanishes while it is looked at counts nothing. */
export const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(path);
    else bytes += (await lstat(path).catch(() => ({ size: 0 }))).size;
  }
  return bytes;
};

/** Looks from time to time until there is too much; disposing it stops. */
export const watchSize = ({ directory, maxBytes, clock, onExceeded }: SizeLimit): SizeWatch => {
  const stop = new AbortController();
  const exceeded = new AbortController();
  const look = async (): Promise<void> => {
    const bytes = await sizeOf(directory);
    if (bytes <= maxBytes || exceeded.signal.aborted) return;
    const what = `the run directory holds ${formatSize(bytes)}, more than ${formatSize(maxBytes)}`;
    exceeded.abort(new Error(what));
    onExceeded(what);
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted && !exceeded.signal.aborted) {
      const began = clock.now();
      await look();
      const pauseMs = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, (clock.now() - began) * PAUSE_SHARE));
      await clock.sleep(pauseMs, stop.signal).catch(() => undefined);
    }
  };
  const running = run();
  // What goes wrong here is told when the watch ends; until then nobody listens.
  running.catch(() => undefined);
  return {
    exceeded: exceeded.signal,
    look,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('The watch was stopped.'));
      await running;
    },
  };
};
