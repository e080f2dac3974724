// Follows the log files of a target and tells the lines that explain a run: those that a pattern of the product names, with their
// place and own time, and beside them warnings, errors and changes of ownership. Both are capped per node, because a broker that
// logs one line a request must not drown the timeline; how many were left out is told at the end.
import { type Clock, systemClock } from '../clock.ts';
import type { NodeId } from '../targets/target.ts';
import { LogFollower, type PlacedLine } from './log-follower.ts';
import { type LogPattern, loggedAt } from './log-patterns.ts';

export interface LogLine {
  readonly node: NodeId;
  readonly text: string;
  /** Where it is, and when the node says it wrote it; only for a line that a pattern names. */
  readonly hit?: {
    readonly pattern: string;
    readonly file: string;
    readonly position: number;
    readonly loggedAt?: string;
  };
}

/** How much was looked through, and how often each pattern matched. */
export interface LogCoverage {
  readonly files: number;
  /** Nodes to whose file nothing was added while it was watched, or that could not be read. */
  readonly silent: readonly NodeId[];
  readonly lines: number;
  readonly bytes: number;
  /** `before`: in what the nodes had written when the watch began. */
  readonly patterns: readonly { readonly pattern: LogPattern; readonly before: number; readonly during: number }[];
}

export interface LogWatchOptions {
  readonly logs: readonly { readonly node: NodeId; readonly file: string }[];
  readonly onLine: (line: LogLine) => void;
  /** Told once, at the end. */
  readonly onCoverage?: (coverage: LogCoverage) => void;
  readonly patterns?: readonly LogPattern[];
  /** Whether a line that no pattern names is worth telling; default `isNotable`. */
  readonly notable?: (text: string) => boolean;
  /** Notable lines told for each node; default 200. */
  readonly limit?: number;
  /** Lines told for each node and pattern; default 25. */
  readonly patternLimit?: number;
  /** Default 300. */
  readonly everyMs?: number;
  readonly clock?: Clock;
}

const NOTABLE =
  /\b(WARN|ERROR|FATAL)\b|fenc|recover|leads |gave up|resign|takeover|took over|elect|ISR|unclean|epoch|terminated|shut/i;
const MAX_LINE_CHARACTERS = 500;

/** Warnings, errors, and what says that ownership changed. */
export const isNotable = (text: string): boolean => NOTABLE.test(text);

interface Told {
  readonly node: NodeId;
  readonly file: string;
  readonly follower: LogFollower;
  /** Where it was when the watch began. */
  begunAt: number;
  /** Whether a look at it failed, so that something of it is missing. */
  hasFailed: boolean;
  notable: number;
  left: number;
  readonly hits: Map<string, number>;
}

type Counts = Map<LogPattern, { before: number; during: number }>;

class Teller {
  readonly #options: LogWatchOptions;
  readonly #patterns: readonly LogPattern[];
  readonly #counts: Counts;
  #lines = 0;
  #startBytes = 0;

  constructor(options: LogWatchOptions) {
    this.#options = options;
    this.#patterns = options.patterns ?? [];
    this.#counts = new Map(this.#patterns.map((pattern) => [pattern, { before: 0, during: 0 }]));
  }

  /** What was there before is no news, but shows which patterns fit this cluster. */
  async passOver(told: Told): Promise<void> {
    for (const { text } of await told.follower.catchUp().catch(() => [])) {
      const count = this.#counts.get(this.#patternOf(text) as LogPattern);
      if (count !== undefined) count.before += 1;
    }
    told.begunAt = told.follower.readBytes;
    this.#startBytes += told.begunAt;
  }

  /** `toEnd`: everything that is there, and not only as much as one look takes. */
  async look(told: Told, toEnd = false): Promise<void> {
    for (const line of await this.#linesOf(told, toEnd)) {
      this.#lines += 1;
      const pattern = this.#patternOf(line.text);
      if (pattern !== undefined) this.#hit(told, line, pattern);
      else this.#notable(told, line.text);
    }
  }

  async #linesOf(told: Told, toEnd: boolean): Promise<readonly PlacedLine[]> {
    try {
      return toEnd ? await told.follower.catchUp() : await told.follower.newLines();
    } catch {
      told.hasFailed = true;
      return [];
    }
  }

  end(all: readonly Told[]): void {
    const { onLine, onCoverage } = this.#options;
    for (const { node, left } of all) {
      if (left > 0) onLine({ node, text: `… and ${left} more notable lines in the node's own log` });
    }
    onCoverage?.({
      files: all.length,
      silent: all
        .filter(({ follower, begunAt, hasFailed }) => hasFailed || follower.readBytes === begunAt)
        .map(({ node }) => node),
      lines: this.#lines,
      bytes: all.reduce((sum, { follower }) => sum + follower.readBytes, -this.#startBytes),
      patterns: [...this.#counts].map(([pattern, count]) => ({ pattern, ...count })),
    });
  }

  #patternOf(text: string): LogPattern | undefined {
    return this.#patterns.find((pattern) => pattern.text.test(text));
  }

  #hit({ node, file, hits }: Told, { text, position }: PlacedLine, pattern: LogPattern): void {
    const count = this.#counts.get(pattern);
    if (count !== undefined) count.during += 1;
    const told = (hits.get(pattern.kind) ?? 0) + 1;
    hits.set(pattern.kind, told);
    if (told > (this.#options.patternLimit ?? 25)) return;
    const at = loggedAt(text);
    const hit = { pattern: pattern.kind, file, position, ...(at === undefined ? {} : { loggedAt: at }) };
    this.#options.onLine({ node, text: text.slice(0, MAX_LINE_CHARACTERS), hit });
  }

  #notable(told: Told, text: string): void {
    const { notable = isNotable, limit = 200, onLine } = this.#options;
    if (!notable(text)) return;
    told.notable += 1;
    if (told.notable > limit) told.left += 1;
    else onLine({ node: told.node, text: text.slice(0, MAX_LINE_CHARACTERS) });
  }
}

/** Starts following from the present end of each file; disposing it takes a last look and stops. */
export const watchLogs = async (options: LogWatchOptions): Promise<AsyncDisposable> => {
  const clock = options.clock ?? systemClock;
  const stop = new AbortController();
  const teller = new Teller(options);
  const told = options.logs.map(
    ({ node, file }): Told => ({
      node,
      file,
      follower: new LogFollower(file),
      begunAt: 0,
      hasFailed: false,
      notable: 0,
      left: 0,
      hits: new Map(),
    }),
  );
  for (const each of told) await teller.passOver(each);
  const look = async (toEnd = false): Promise<void> => {
    for (const each of told) await teller.look(each, toEnd);
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await look();
      await clock.sleep(options.everyMs ?? 300, stop.signal).catch(() => undefined);
    }
    await look(true);
    teller.end(told);
  };
  const running = run();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('The watch was stopped.'));
      await running;
    },
  };
};
