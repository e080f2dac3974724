// Follows the log files of a target and tells the lines that explain a run: warnings, errors, changes of ownership. Capped per
// node, because a broker that logs one line a request must not drown the timeline; how many were left out is told at the end.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Clock, systemClock } from '../clock.ts';
import type { NodeId } from '../targets/target.ts';

export interface LogLine {
  readonly node: NodeId;
  readonly text: string;
}

export interface LogWatchOptions {
  readonly logs: readonly { readonly node: NodeId; readonly file: string }[];
  readonly onLine: (line: LogLine) => void;
  /** Whether a line is worth telling; default `isNotable`. */
  readonly notable?: (text: string) => boolean;
  /** Lines told for each node; default 200. */
  readonly limit?: number;
  /** Default 300. */
  readonly everyMs?: number;
  readonly clock?: Clock;
}

const NOTABLE =
  /\b(WARN|ERROR|FATAL)\b|fenc|recover|leads |gave up|resign|takeover|took over|elect|ISR|unclean|epoch|terminated|shut/i;
const MAX_LINE_CHARACTERS = 500;
/** Read at most so much of one file in one look; the rest is read in the next. */
const MAX_READ_BYTES = 1024 * 1024;

/** Warnings, errors, and what says that ownership changed. */
export const isNotable = (text: string): boolean => NOTABLE.test(text);

/** The lines added to one file since the last look. */
class Follower {
  readonly #file: string;
  #position: number;
  #rest = '';

  constructor(file: string, position: number) {
    this.#file = file;
    this.#position = position;
  }

  async newLines(): Promise<readonly string[]> {
    const size = await sizeOf(this.#file);
    if (size < this.#position) this.#position = 0;
    if (size === this.#position) return [];
    const end = Math.min(size, this.#position + MAX_READ_BYTES) - 1;
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(this.#file, { start: this.#position, end }))
      chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    this.#position += bytes.length;
    const lines = (this.#rest + bytes.toString('utf8')).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}

const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
};

interface Told {
  readonly node: NodeId;
  readonly follower: Follower;
  lines: number;
  left: number;
}

const lookOnce = async (told: readonly Told[], options: LogWatchOptions): Promise<void> => {
  const notable = options.notable ?? isNotable;
  const limit = options.limit ?? 200;
  for (const each of told) {
    for (const text of await each.follower.newLines().catch(() => [])) {
      if (!notable(text)) continue;
      each.lines += 1;
      if (each.lines > limit) each.left += 1;
      else options.onLine({ node: each.node, text: text.slice(0, MAX_LINE_CHARACTERS) });
    }
  }
};

/** Starts following from the present end of each file; disposing it takes a last look and stops. */
export const watchLogs = async (options: LogWatchOptions): Promise<AsyncDisposable> => {
  const clock = options.clock ?? systemClock;
  const stop = new AbortController();
  const told: readonly Told[] = await Promise.all(
    options.logs.map(async ({ node, file }) => ({
      node,
      follower: new Follower(file, await sizeOf(file)),
      lines: 0,
      left: 0,
    })),
  );
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await lookOnce(told, options);
      await clock.sleep(options.everyMs ?? 300, stop.signal).catch(() => undefined);
    }
    await lookOnce(told, options);
    for (const { node, left } of told) {
      if (left > 0) options.onLine({ node, text: `… and ${left} more notable lines in the node's own log` });
    }
  };
  const running = run();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('The watch was stopped.'));
      await running;
    },
  };
};
