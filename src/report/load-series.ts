// The load over time: how much was acknowledged, how much is unknown, and how long an acknowledgement took.
import type { Attempt } from './attempts.ts';
import type { LoadBucket, LoadSeries } from './model.ts';

export const MOST_BUCKETS = 400;
/** Finer than this a batch a time shows as noise. */
const WIDTHS_MS = [250, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 3_600_000, 86_400_000];

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;

const rounded = (ms: number): number => Math.round(ms * 10) / 10;

class Bucket {
  acked = 0;
  unknown = 0;
  failed = 0;
  readonly #latencies: number[] = [];

  add({ outcome, count, sentAt, endedAt }: Attempt): void {
    if (outcome === 'unknown') this.unknown += count;
    else if (outcome === 'fail') this.failed += count;
    else {
      this.acked += count;
      if (endedAt !== undefined) this.#latencies.push(endedAt - sentAt);
    }
  }

  finish(): LoadBucket {
    const { acked, unknown, failed } = this;
    const sorted = this.#latencies.sort((one, other) => one - other);
    if (sorted.length === 0) return { acked, unknown, failed };
    const p50Ms = rounded(percentile(sorted, 0.5));
    return { acked, unknown, failed, p50Ms, p99Ms: rounded(percentile(sorted, 0.99)) };
  }
}

/** When a request counts: at its outcome, or, never answered, when it was sent. */
const momentOf = ({ sentAt, endedAt }: Attempt): number => endedAt ?? sentAt;

/** Undefined where nothing was sent. */
export const loadSeries = (attempts: readonly Attempt[]): LoadSeries | undefined => {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const attempt of attempts) {
    first = Math.min(first, attempt.sentAt);
    last = Math.max(last, momentOf(attempt));
  }
  if (last === Number.NEGATIVE_INFINITY) return undefined;
  const span = last - first;
  const bucketMs = WIDTHS_MS.find((width) => span / width < MOST_BUCKETS - 1) ?? Math.ceil(span / (MOST_BUCKETS - 1));
  const from = Math.floor(first / bucketMs) * bucketMs;
  const buckets = Array.from({ length: Math.floor((last - from) / bucketMs) + 1 }, () => new Bucket());
  for (const attempt of attempts) buckets[Math.floor((momentOf(attempt) - from) / bucketMs)]?.add(attempt);
  return { from, bucketMs, buckets: buckets.map((bucket) => bucket.finish()) };
};

export interface WindowCounts {
  readonly acked: number;
  readonly attempted: number;
}

/** Records acknowledged, and records sent, from `from` to `to`. */
export const countWindow = (attempts: readonly Attempt[], from: number, to: number): WindowCounts => {
  let acked = 0;
  let attempted = 0;
  for (const { sentAt, endedAt, outcome, count } of attempts) {
    if (sentAt >= from && sentAt <= to) attempted += count;
    if (outcome === 'ok' && endedAt !== undefined && endedAt >= from && endedAt <= to) acked += count;
  }
  return { acked, attempted };
};
