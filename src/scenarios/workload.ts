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
import { LoadTally, type LoadWatch, type RunningWorkload, runningWorkload } from './load-tally.ts';
import { Pace } from './pacing.ts';
import { ServiceBell } from './service-bell.ts';
import { follow } from './together.ts';

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

/**
 * A lane waits this long before it opens its next incarnation, doubling up to the second figure, ms; no longer than the first once
 * somebody is served in its partition.
 */
const REOPEN_MS = { first: 20, most: 200 } as const;
/** A lane that looks for a leader looks again after so long at most, ms. All lanes together look about once in a millisecond. */
const LOOK_AGAIN_MS = { least: 20, most: 250 } as const;

/** What the lanes of a load share. */
interface Shift {
  readonly options: WorkloadOptions;
  readonly watch: LoadWatch;
  readonly bell: ServiceBell;
  readonly stopping: AbortSignal;
}

/**
 * Runs every lane until it has come to its end by itself, or `stopping` aborts and each batch in flight has its outcome. A lane that
 * throws ends the load with that error, once all have ended: the harness, not the cluster, is then at fault.
 */
export const runLanes = async (options: WorkloadOptions, watch: LoadWatch, stopping: AbortSignal): Promise<void> => {
  const { own, release } = follow(stopping);
  setMaxListeners(0, own.signal); // each lane that waits listens
  const shift: Shift = { options, watch, bell: new ServiceBell(), stopping: own.signal };
  const failures: unknown[] = [];
  const lanes = options.lanes.map(async (plan) => {
    try {
      await runLane(plan, shift);
    } catch (thrown) {
      failures.push(thrown);
      own.abort(thrown);
    }
  });
  await Promise.all(lanes);
  release();
  if (failures.length > 0) throw failures[0];
};

/** A load in this thread. */
export const startWorkload = (options: WorkloadOptions): RunningWorkload => {
  const tally = new LoadTally(() => options.at());
  const stopping = new AbortController();
  const finished = runLanes(options, tally, stopping.signal);
  finished.catch(() => undefined);
  const lanes = options.lanes.length;
  return runningWorkload(tally, { lanes, started: Promise.resolve(), finished, stop: () => stopping.abort() });
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

const runLane = async (plan: LanePlan, shift: Shift): Promise<void> => {
  const { options, bell, stopping } = shift;
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
      const results = await sendBatches(lane, sides, shift, { incarnation, seq, count });
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
      if (!(await bell.wait(plan.partition, moreMs, options.clock, stopping))) break;
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
  { options, watch, bell }: Shift,
  { incarnation, seq, count }: BatchPlace,
): ((result: LaneResult) => void) => {
  const { ledger, topic } = options;
  const { producer, partition } = plan;
  const at = options.at();
  const handle = ledger.intent({ producer, incarnation, topic, partition, firstSeq: seq, count, at });
  const ended = watch.begin({ partition, count, isProbe: plan.probe === true, at });
  return (result) => {
    const now = options.at();
    ledger.outcome(handle, { at: now, ...result });
    ended(result.outcome, now);
    if (result.outcome === 'ok') bell.ring(partition);
    if (result.clientAnomaly !== undefined) {
      options.onClientAnomaly(`${producer}/${partition} seq ${seq}: ${result.clientAnomaly}`);
    }
  };
};

const sendBatches = async (
  lane: SplitLane,
  sides: readonly LaneSide[],
  shift: Shift,
  batch: BatchPlace,
): Promise<readonly LaneResult[]> => {
  const { seq, count } = batch;
  const batches = sides.map(({ encoder }) => Array.from({ length: count }, (_, index) => encoder.encode(seq + index)));
  const endings = sides.map((side) => beginBatch(side, shift, batch));
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
