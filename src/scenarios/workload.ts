// The load: lanes that write an intent, send one batch, write the outcome, and never do anything else about it. After an
// unknown outcome a lane starts a new incarnation, so that a sequence number never names two different records.
import { setMaxListeners } from 'node:events';
import type { ClientDefinition, LaneOptions, LaneResult, RecordToSend, SplitLane } from '../clients/client.ts';
import type { Clock } from '../clock.ts';
import { describeError, InternalError } from '../errors.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import type { RecordEncoder } from '../ledger/record-identity.ts';
import type { OutcomeProfile } from '../outcomes.ts';
import type { Acks, Address } from '../vocabulary.ts';
import { AttemptLog } from './attempt-log.ts';
import { Pace } from './pacing.ts';
import type { LoadProgress } from './progress.ts';
import { ServiceBell } from './service-bell.ts';

/** One lane of the load, fixed for the whole run. */
export interface LanePlan {
  readonly producer: string;
  readonly partition: number;
  /** A second partition, to which every call goes, too, with a batch of its own. */
  readonly splitWith?: number;
  readonly batch: number;
  readonly intervalMs: number;
  readonly firstAtMs: number;
  readonly bootstrap: readonly Address[];
  readonly client: ClientDefinition;
  readonly retry: 'none' | 'same-batch';
  readonly idempotence: boolean;
  readonly attemptTimeoutMs: number;
  /** Sends beside the load to measure it: its acknowledgements are records like others, and no service to the load. */
  readonly probe?: boolean;
}

export interface WorkloadOptions {
  readonly security?: LaneOptions['security'];
  readonly runId: string;
  readonly topic: string;
  readonly acks: Acks;
  readonly deliveryTimeoutMs: number;
  readonly profile: OutcomeProfile;
  readonly lanes: readonly LanePlan[];
  readonly ledger: LedgerWriter;
  readonly clock: Clock;
  /** Milliseconds since the start of the part. */
  at(): number;
  /** Makes the records of one incarnation of a lane. */
  encoderOf(lane: Pick<LanePlan, 'producer' | 'partition' | 'probe'>, incarnation: number): RecordEncoder;
  /** Ends a lane after so many records; absent = until stopped. */
  readonly recordsPerLane?: number;
  onClientAnomaly(detail: string): void;
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
  /** Resolves when every lane has come to its end by itself. */
  readonly finished: Promise<void>;
  /** No further batch is started; resolves when each one in flight has its outcome and no socket is left. */
  stop(): Promise<void>;
}

/**
 * A lane waits this long before it opens its next incarnation, doubling up to the second figure, ms; no longer than the first once
 * somebody is served in its partition.
 */
const REOPEN_MS = { first: 20, most: 200 } as const;
/** A lane that looks for a leader looks again after so long at most, ms. All lanes together look about once in a millisecond. */
const LOOK_AGAIN_MS = { least: 20, most: 250 } as const;

/** Acknowledgement times kept for each partition: enough for the exposure of a fault that is told after its heal. */
const ACKS_KEPT = 20_000;

const remember = (all: Map<number, number[]>, partition: number, at: number): void => {
  const times = all.get(partition);
  if (times === undefined) all.set(partition, [at]);
  else if (times.push(at) > 2 * ACKS_KEPT) times.splice(0, ACKS_KEPT);
};

class Counters {
  acked = 0;
  sent = 0;
  failed = 0;
  unknown = 0;
  /** Times of the youngest acknowledgements of each partition, oldest first. */
  readonly lastAck = new Map<number, number[]>();
  /** The same without those of probes. */
  readonly served = new Map<number, number[]>();
  readonly attempts = new AttemptLog();
  readonly bell = new ServiceBell();
  readonly #recent: { at: number; acked: number }[] = [];

  note(result: LaneResult, { partition, probe }: LanePlan, count: number, at: number): void {
    if (result.outcome === 'ok') {
      this.acked += count;
      this.bell.ring(partition);
      remember(this.lastAck, partition, at);
      if (probe !== true) remember(this.served, partition, at);
    } else if (result.outcome === 'fail') this.failed += count;
    else this.unknown += count;
  }

  progress(at: number): LoadProgress {
    this.#recent.push({ at, acked: this.acked });
    while (this.#recent.length > 2 && at - (this.#recent[0]?.at ?? at) > 1000) this.#recent.shift();
    const oldest = this.#recent[0];
    const span = at - (oldest?.at ?? at);
    const ackedPerSecond = span <= 0 ? 0 : ((this.acked - (oldest?.acked ?? 0)) * 1000) / span;
    const { acked, sent, failed, unknown } = this;
    return { acked, sent, failed, unknown, ackedPerSecond, oldest: this.#oldest(at) };
  }

  #oldest(at: number): LoadProgress['oldest'] {
    let found: LoadProgress['oldest'];
    for (const [partition, times] of this.served) {
      const lastAt = times.at(-1) ?? at;
      if (found === undefined || at - lastAt > found.ms) found = { partition, ms: at - lastAt };
    }
    return found;
  }
}

/** Starts every lane. A lane that throws ends the load with that error: the harness, not the cluster, is then at fault. */
export const startWorkload = (options: WorkloadOptions): RunningWorkload => {
  const counters = new Counters();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // each lane that waits listens
  const lanes = options.lanes.map((plan) => runLane(plan, options, counters, stopping.signal));
  const finished = Promise.all(lanes).then(() => undefined);
  finished.catch(() => stopping.abort());
  return {
    progress: () => counters.progress(options.at()),
    servedTimes: (partition) => counters.served.get(partition) ?? [],
    attemptedWithin: (partition, from, to) => counters.attempts.overlaps(partition, from, to),
    lastAckBefore: (partition, at) => counters.lastAck.get(partition)?.findLast((each) => each <= at),
    get acked() {
      return counters.acked;
    },
    lanes: options.lanes.length,
    finished,
    stop: async () => {
      stopping.abort();
      await finished;
    },
  };
};

/** One partition of a lane, with what makes its records. */
interface LaneSide {
  readonly plan: LanePlan;
  readonly encoder: RecordEncoder;
}

/** Every side has the same numbers: a call sends as many records to each. */
const sidesOf = (plan: LanePlan, options: WorkloadOptions, incarnation: number): readonly LaneSide[] =>
  partitionsOf(plan).map((partition) => {
    const side = { ...plan, partition };
    return { plan: side, encoder: options.encoderOf(side, incarnation) };
  });

const partitionsOf = ({ partition, splitWith }: LanePlan): readonly number[] =>
  splitWith === undefined ? [partition] : [partition, splitWith];

const runLane = async (
  plan: LanePlan,
  options: WorkloadOptions,
  counters: Counters,
  stopping: AbortSignal,
): Promise<void> => {
  const pace = new Pace(plan.intervalMs, options.clock.now() + plan.firstAtMs);
  let incarnation = 0;
  let seq = 0;
  let remaining = options.recordsPerLane ?? Number.POSITIVE_INFINITY;
  let reopenMs: number = REOPEN_MS.first;
  let lane = await openLane(plan, options, incarnation);
  let sides = sidesOf(plan, options, incarnation);
  try {
    while (!stopping.aborted && remaining > 0) {
      if (!(await waited(pace.waitMs(options.clock.now()), options.clock, stopping))) break;
      const count = Math.min(plan.batch, remaining);
      const results = await sendBatches(lane, sides, options, counters, { incarnation, seq, count });
      seq += count;
      remaining -= count;
      if (results.every(({ outcome }) => outcome === 'ok')) {
        reopenMs = REOPEN_MS.first;
        continue;
      }
      await lane.close();
      incarnation += 1;
      seq = 0;
      if (!(await waited(REOPEN_MS.first, options.clock, stopping))) break;
      const moreMs = reopenMs - REOPEN_MS.first;
      if (!(await counters.bell.wait(plan.partition, moreMs, options.clock, stopping))) break;
      reopenMs = Math.min(reopenMs * 2, REOPEN_MS.most);
      lane = await openLane(plan, options, incarnation);
      sides = sidesOf(plan, options, incarnation);
    }
  } finally {
    await lane.close();
  }
};

/** False when the load is being stopped. */
const waited = async (ms: number, clock: Clock, stopping: AbortSignal): Promise<boolean> => {
  if (ms <= 0) return !stopping.aborted;
  try {
    await clock.sleep(ms, stopping);
    return true;
  } catch {
    return false;
  }
};

const openLane = async (plan: LanePlan, options: WorkloadOptions, incarnation: number): Promise<SplitLane> => {
  const { client } = plan;
  const settings: Omit<LaneOptions, 'partition'> = {
    bootstrap: plan.bootstrap,
    security: options.security,
    clientId: `ackproof-${options.runId}-${plan.producer}-${plan.partition}-${incarnation}`,
    topic: options.topic,
    acks: options.acks,
    idempotence: plan.idempotence,
    retry: plan.retry,
    attemptTimeoutMs: plan.attemptTimeoutMs,
    deliveryTimeoutMs: options.deliveryTimeoutMs,
    profile: options.profile,
    lookAgainMs: Math.min(LOOK_AGAIN_MS.most, Math.max(LOOK_AGAIN_MS.least, options.lanes.length)),
  };
  if (plan.splitWith !== undefined) {
    const split = await client.openSplitLane?.({ ...settings, partitions: partitionsOf(plan) });
    if (split !== undefined) return split;
    throw new InternalError('CLIENT_CANNOT_SPLIT', `${client.kind} makes no call for several partitions.`);
  }
  const lane = await client.openLane({ ...settings, partition: plan.partition });
  return {
    send: async ([records = []]) => [await lane.send(records)],
    close: async () => {
      await lane.close();
    },
  };
};

interface BatchPlace {
  readonly incarnation: number;
  readonly seq: number;
  readonly count: number;
}

/** Writes the intent of one side; what it returns writes the outcome. */
const beginBatch = (
  { plan }: LaneSide,
  options: WorkloadOptions,
  counters: Counters,
  { incarnation, seq, count }: BatchPlace,
): ((result: LaneResult) => void) => {
  const { ledger, topic } = options;
  const { producer, partition } = plan;
  const at = options.at();
  const handle = ledger.intent({ producer, incarnation, topic, partition, firstSeq: seq, count, at });
  counters.sent += count;
  const ended = plan.probe === true ? undefined : counters.attempts.begin(partition, at);
  return (result) => {
    const now = options.at();
    ended?.(now);
    ledger.outcome(handle, { at: now, ...result });
    counters.note(result, plan, count, now);
    if (result.clientAnomaly !== undefined) {
      options.onClientAnomaly(`${producer}/${partition} seq ${seq}: ${result.clientAnomaly}`);
    }
  };
};

const sendBatches = async (
  lane: SplitLane,
  sides: readonly LaneSide[],
  options: WorkloadOptions,
  counters: Counters,
  batch: BatchPlace,
): Promise<readonly LaneResult[]> => {
  const { seq, count } = batch;
  const batches = sides.map(({ encoder }) => Array.from({ length: count }, (_, index) => encoder.encode(seq + index)));
  const endings = sides.map((side) => beginBatch(side, options, counters, batch));
  const results = await sent(lane, batches);
  return endings.map((end, index) => {
    const result = results[index] ?? untold('the client told nothing of it');
    end(result);
    return result;
  });
};

const untold = (reason: string): LaneResult => ({
  outcome: 'unknown',
  attempts: 1,
  tainted: true,
  reason,
  clientAnomaly: reason,
});

/** A client that throws has told nothing about its batches: unknown, and the fault is the client's. */
const sent = async (lane: SplitLane, batches: readonly (readonly RecordToSend[])[]): Promise<readonly LaneResult[]> => {
  try {
    return await lane.send(batches);
  } catch (thrown) {
    const reason = describeError(thrown);
    return batches.map(() => ({ ...untold(`the client threw: ${reason}`), reason }));
  }
};
