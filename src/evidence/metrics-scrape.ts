// Scrapes the metrics that a target file names, each address in a loop of its own, and tells the series that changed. A scrape that
// fails is told and costs the run nothing; an answer without any series that is known is a failed one, whatever its status.
import { type Clock, deadlineSignal, systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { MetricsSource } from '../targets/spec-fields.ts';
import type { ClusterFact } from './cluster-fact.ts';
import { ClusterPoll, type PollCoverage } from './cluster-poll.ts';
import { METRIC_SERIES, seriesIn } from './metric-series.ts';

export interface MetricsWatchOptions {
  readonly sources: readonly MetricsSource[];
  readonly onFact: (fact: ClusterFact) => void;
  /** Default 5 s. */
  readonly everyMs?: number;
  readonly clock?: Clock;
}

const EVERY_MS = 5_000;
const DEADLINE_MS = 4_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Where it is, for people: without the query, in which there may be a token. */
const placeOf = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};

const refuse = (url: string, why: string): EnvironmentError =>
  new EnvironmentError('METRICS_UNUSABLE', `${placeOf(url)} ${why}.`, {
    hint: 'Name the address at which Prometheus scrapes the node, or leave it out of the target file.',
  });

const bodyOf = async (url: string, response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MOST_BYTES) throw refuse(url, `answers more than ${MOST_BYTES} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** The known series at one address. Throws where there is no answer, or none that holds any. */
export const scrape = async (url: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>> => {
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok) throw refuse(url, `is answered with HTTP ${response.status}`);
  const found = seriesIn(await bodyOf(url, response));
  if (found.size === 0) throw refuse(url, 'holds none of the series that are looked for');
  return found;
};

/** Tells what changed since the last scrape of one node, the first one whole. */
class SeriesNews {
  readonly #node: string;
  readonly #url: string;
  #last: ReadonlyMap<string, number> | undefined;

  constructor({ node, url }: MetricsSource) {
    this.#node = node;
    this.#url = url;
  }

  news(found: ReadonlyMap<string, number>): readonly ClusterFact[] {
    const before = this.#last;
    this.#last = found;
    const isNew = ([kind, value]: readonly [string, number]): boolean => before?.get(kind) !== value;
    const changed = [...found].filter(isNew);
    if (changed.length === 0) return [];
    const text = changed
      .map(
        ([kind, value]) => `${kind} ${value}${before === undefined ? '' : ` (was ${before.get(kind) ?? 'not told'})`}`,
      )
      .join(', ');
    const data = { node: this.#node, url: placeOf(this.#url), series: Object.fromEntries(found) };
    return [{ source: `metrics/${this.#node}`, text, data }];
  }
}

const coverageFact = (source: MetricsSource, coverage: PollCoverage): ClusterFact => {
  const watch = `metrics/${source.node}`;
  const { asked, answered, everyMs } = coverage;
  const text = `${watch}: ${answered} of ${asked} scrapes answered, one every ${everyMs} ms`;
  return { source: 'coverage', text, data: { watch, ...coverage } };
};

/** Starts scraping; disposing it stops every loop and tells how often each was answered. */
export const watchMetrics = ({
  sources,
  onFact,
  everyMs,
  clock = systemClock,
}: MetricsWatchOptions): AsyncDisposable => {
  const polls = sources.map((source) => {
    const standing = new SeriesNews(source);
    const watch = `metrics/${source.node}`;
    let wasAway = false;
    return {
      source,
      poll: new ClusterPoll({
        everyMs: everyMs ?? EVERY_MS,
        deadlineMs: DEADLINE_MS,
        clock,
        ask: async ({ deadlineMs, signal }) => await scrape(source.url, deadlineSignal(deadlineMs, signal)),
        take: (found) => {
          for (const fact of standing.news(found)) onFact(fact);
        },
        onState: (state, detail) => {
          if (state === 'answers' && !wasAway) return;
          wasAway = true;
          onFact({
            source: watch,
            text: state === 'answers' ? 'is answered again' : `${state}: ${detail}`,
            data: { state },
          });
        },
      }),
    };
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(polls.map(async ({ poll }) => await poll[Symbol.asyncDispose]()));
      for (const { source, poll } of polls) onFact(coverageFact(source, poll.coverage));
    },
  };
};

/** Every series that is looked for, as the report names them. */
export const seriesLookedFor = (): readonly {
  readonly kind: string;
  readonly isBadSign: boolean;
  readonly boundary: string;
}[] => METRIC_SERIES.map(({ kind, isBadSign, boundary }) => ({ kind, isBadSign, boundary }));
