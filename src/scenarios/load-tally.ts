// What is known of a load while it goes on: how much was sent and what became of it, when each partition was acknowledged, and when
// something was on its way there. Fed by the lanes, or by what their thread tells of them.
import type { Outcome } from '../vocabulary.ts';
import { AttemptLog } from './attempt-log.ts';
import type { LoadProgress } from './progress.ts';

/** One batch that leaves now. */
export interface BatchBegin {
  readonly partition: number;
  /** Records. */
  readonly count: number;
  /** Sent beside the load to measure it: its acknowledgements are records like others, and no service to the load. */
  readonly isProbe: boolean;
  /** Milliseconds since the start of the part. */
  readonly at: number;
}

/** Hears of every batch of a load: when it leaves, and, by what `begin` returns, what became of it. */
export interface LoadWatch {
  begin(batch: BatchBegin): (outcome: Outcome, at: number) => void;
}

export interface RunningWorkload {
  progress(): LoadProgress;
  /** When lanes that are no probes were acknowledged in a partition, in `at()`'s terms, rising; the recent ones that are kept. */
  servedTimes(partition: number): readonly number[];
  /** The youngest acknowledgement of a partition not later than `at`, among the recent ones that are kept. */
  lastAckBefore(partition: number, at: number): number | undefined;
  /** Whether a request of a lane that is no probe was on its way to the partition at any moment of the window. */
  attemptedWithin(partition: number, from: number, to: number): boolean;
  readonly acked: number;
  readonly lanes: number;
  /** Resolves when the lanes begin; rejects with what ends the load before. */
  readonly started: Promise<void>;
  /** Resolves when every lane has come to its end by itself. */
  readonly finished: Promise<void>;
  /** No further batch is started; resolves when each one in flight has its outcome and no socket is left. */
  stop(): Promise<void>;
}

/** Acknowledgement times kept for each partition: enough for the exposure of a fault that is told after its heal. */
const ACKS_KEPT = 20_000;

const remember = (all: Map<number, number[]>, partition: number, at: number): void => {
  const times = all.get(partition);
  if (times === undefined) all.set(partition, [at]);
  else if (times.push(at) > 2 * ACKS_KEPT) times.splice(0, ACKS_KEPT);
};

/** Counts; all times in the terms of `now`. */
export class LoadTally implements LoadWatch {
  readonly #now: () => number;
  /** Times of the youngest acknowledgements of each partition, oldest first. */
  readonly #acks = new Map<number, number[]>();
  /** The same without those of probes. */
  readonly #served = new Map<number, number[]>();
  readonly #attempts = new AttemptLog();
  readonly #records = { ok: 0, fail: 0, unknown: 0 };
  readonly #recent: { at: number; acked: number }[] = [];
  #sent = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin({ partition, count, isProbe, at }: BatchBegin): (outcome: Outcome, at: number) => void {
    this.#sent += count;
    const attempted = isProbe ? undefined : this.#attempts.begin(partition, at);
    return (outcome, endedAt) => {
      attempted?.(endedAt);
      this.#records[outcome] += count;
      if (outcome !== 'ok') return;
      remember(this.#acks, partition, endedAt);
      if (!isProbe) remember(this.#served, partition, endedAt);
    };
  }

  get acked(): number {
    return this.#records.ok;
  }

  servedTimes(partition: number): readonly number[] {
    return this.#served.get(partition) ?? [];
  }

  lastAckBefore(partition: number, at: number): number | undefined {
    return this.#acks.get(partition)?.findLast((each) => each <= at);
  }

  attemptedWithin(partition: number, from: number, to: number): boolean {
    return this.#attempts.overlaps(partition, from, to);
  }

  progress(): LoadProgress {
    const at = this.#now();
    const { acked } = this;
    this.#recent.push({ at, acked });
    while (this.#recent.length > 2 && at - (this.#recent[0]?.at ?? at) > 1000) this.#recent.shift();
    const oldest = this.#recent[0];
    const span = at - (oldest?.at ?? at);
    const ackedPerSecond = span <= 0 ? 0 : ((acked - (oldest?.acked ?? 0)) * 1000) / span;
    const { fail: failed, unknown } = this.#records;
    return { acked, sent: this.#sent, failed, unknown, ackedPerSecond, oldest: this.#longestWait(at) };
  }

  #longestWait(at: number): LoadProgress['oldest'] {
    let found: LoadProgress['oldest'];
    for (const [partition, times] of this.#served) {
      const lastAt = times.at(-1) ?? at;
      if (found === undefined || at - lastAt > found.ms) found = { partition, ms: at - lastAt };
    }
    return found;
  }
}

/** A load that `tally` hears of; `stop` tells its lanes to end, after which `finished` resolves. */
export const runningWorkload = (
  tally: LoadTally,
  {
    lanes,
    started,
    finished,
    stop,
  }: Pick<RunningWorkload, 'lanes' | 'started' | 'finished'> & { readonly stop: () => void },
): RunningWorkload => ({
  progress: () => tally.progress(),
  servedTimes: (partition) => tally.servedTimes(partition),
  attemptedWithin: (partition, from, to) => tally.attemptedWithin(partition, from, to),
  lastAckBefore: (partition, at) => tally.lastAckBefore(partition, at),
  get acked() {
    return tally.acked;
  },
  lanes,
  started,
  finished,
  stop: async () => {
    stop();
    await finished;
  },
});
