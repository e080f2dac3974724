// After the load: one sentinel record per partition from a producer of its own, and the wait until the log shows it. A read
// up to a known acknowledged record cannot mistake "slow" for "done", as an idle timeout or the high watermark can.
import type { ClientDefinition, LaneOptions, LaneResult } from '../clients/client.ts';
import type { Clock } from '../clock.ts';
import { describeError } from '../errors.ts';
import { RecordEncoder } from '../ledger/record-identity.ts';
import type { OutcomeProfile } from '../outcomes.ts';
import type { Address } from '../vocabulary.ts';
import type { ClusterEye } from './cluster-eye.ts';
import type { Part } from './part.ts';

export interface SettleOptions {
  readonly part: Part;
  readonly clock: Clock;
  readonly client: ClientDefinition;
  readonly bootstrap: readonly Address[];
  readonly security?: LaneOptions['security'];
  readonly profile: OutcomeProfile;
  readonly recordBytes: number;
  readonly attemptTimeoutMs: number;
  /** For all attempts of one partition, ms. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

const RETRY_MS = 100;

/** Partition → offset of its acknowledged sentinel; a partition without one is told as a harness line. */
export const writeSentinels = async (options: SettleOptions): Promise<ReadonlyMap<number, number>> => {
  const { part } = options;
  const found = new Map<number, number>();
  await Promise.all(
    part.partitions.map(async (partition) => {
      const offset = await writeSentinel(options, partition);
      if (offset === undefined) tellNoSentinel(options, partition);
      else found.set(partition, offset);
    }),
  );
  return found;
};

/** Of a run that was stopped, nothing is said of the cluster: it was not given its time. */
const tellNoSentinel = ({ part, signal, deadlineMs }: SettleOptions, partition: number): void => {
  const detail = `no sentinel was acknowledged in partition ${partition}`;
  if (signal.aborted) {
    part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail: `${detail} before the run was stopped` });
  } else {
    part.tell({ t: 'harness', anomaly: 'no-progress', detail: `${detail} within ${deadlineMs} ms` });
  }
};

const writeSentinel = async (options: SettleOptions, partition: number): Promise<number | undefined> => {
  const { clock, part, signal } = options;
  const until = clock.now() + options.deadlineMs;
  for (let attempt = 0; clock.now() < until && !signal.aborted; attempt++) {
    const result = await sendSentinel(options, partition, attempt);
    if (result.outcome === 'ok' && result.baseOffset !== undefined) {
      part.tell({ t: 'sentinel', topic: part.topic, partition, offset: result.baseOffset });
      return result.baseOffset;
    }
    const text = `sentinel of partition ${partition}: ${result.reason ?? result.outcome}`;
    part.tell({ t: 'note', source: 'settle', text });
    await clock.sleep(RETRY_MS, signal).catch(() => undefined);
  }
  return undefined;
};

const sendSentinel = async (options: SettleOptions, partition: number, attempt: number): Promise<LaneResult> => {
  const { part, client, bootstrap, security, profile, attemptTimeoutMs } = options;
  const lane = await client.openLane({
    bootstrap,
    security,
    clientId: `ackproof-${part.runId}-sentinel-${partition}-${attempt}`,
    topic: part.topic,
    partition,
    acks: 'all',
    idempotence: false,
    retry: 'none',
    attemptTimeoutMs,
    deliveryTimeoutMs: attemptTimeoutMs,
    profile,
  });
  const encoder = new RecordEncoder({
    run: part.runId,
    producer: 'sentinel',
    incarnation: attempt,
    partition,
    sizeBytes: options.recordBytes,
    kind: 'sentinel',
  });
  try {
    return await lane.send([encoder.encode(0)]);
  } catch (thrown) {
    return { outcome: 'unknown', attempts: 1, tainted: true, reason: describeError(thrown) };
  } finally {
    await lane.close();
  }
};

export interface ShownOptions {
  readonly part: Part;
  readonly eye: Pick<ClusterEye, 'offsets'>;
  readonly clock: Clock;
  readonly sentinels: ReadonlyMap<number, number>;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Waits until the end that read_committed shows is past each sentinel; a partition where it stays behind is told. */
export const awaitSentinelsShown = async (options: ShownOptions): Promise<void> => {
  const { part, eye, clock, sentinels, deadlineMs, signal } = options;
  const until = clock.now() + deadlineMs;
  const hidden = new Map([...sentinels].map(([partition]) => [partition, 'its end was not told']));
  while (hidden.size > 0) {
    const { taken } = await eye.offsets(part.topic, () => part.at()).catch(() => ({ taken: [] }));
    for (const { partition, latestCommitted } of taken) {
      if (latestCommitted > (sentinels.get(partition) ?? -1)) hidden.delete(partition);
      else hidden.set(partition, `its end is ${latestCommitted}`);
    }
    if (hidden.size === 0 || clock.now() >= until || signal.aborted) break;
    await clock.sleep(RETRY_MS, signal).catch(() => undefined);
  }
  for (const [partition, seen] of hidden) {
    const detail = `partition ${partition} does not show its record at offset ${sentinels.get(partition) ?? -1}`;
    if (signal.aborted) {
      const stopped = `${detail}, but the run was stopped before it had to: ${seen}`;
      part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail: stopped });
    } else {
      part.tell({ t: 'harness', anomaly: 'stuck-consumer', detail: `${detail} within ${deadlineMs} ms: ${seen}` });
    }
  }
};
