// The limit on what one run may write: a drill that is forgotten over a weekend must not fill the disk that the cluster needs.
// Everything below the run directory counts, the files of a cluster that was made for the run included.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';

export interface SizeLimit {
  readonly directory: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Called once, with what there was. */
  readonly onExceeded: (bytes: number) => void;
}

const LEAST_PAUSE_MS = 1000;
/** Looking takes at most one part in so many of the time. */
const PAUSE_SHARE = 50;

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

/** Looks from time to time; disposing it stops. */
export const watchSize = ({ directory, maxBytes, clock, onExceeded }: SizeLimit): AsyncDisposable => {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    let pauseMs = LEAST_PAUSE_MS;
    for (;;) {
      await clock.sleep(pauseMs, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      const began = clock.now();
      const bytes = await sizeOf(directory);
      pauseMs = Math.max(LEAST_PAUSE_MS, (clock.now() - began) * PAUSE_SHARE);
      if (bytes <= maxBytes) continue;
      onExceeded(bytes);
      return;
    }
  };
  const running = run();
  // What goes wrong here is told when the watch ends; until then nobody listens.
  running.catch(() => undefined);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('The watch was stopped.'));
      await running;
    },
  };
};
