// What a limit of the bandwidth promises, from its parameters alone: how much a transfer must carry to show it, and how fast one
// may be with the limit, without it, and once it is gone. The limit counts for each connection by itself.
import type { ToxicSpec } from './backends/toxiproxy.ts';
import type { Baseline } from './probes/baseline.ts';
import { type ProbeResult, throughputOf } from './probes/probe.ts';
import type { TransferPlan } from './probes/transfer.ts';

export interface BandwidthLimit {
  readonly bytesPerSecond: number;
  readonly directions: readonly ToxicSpec['stream'][];
  /** How long a transfer lasts under the limit, ms; one of `TRANSFERS_MS`. */
  readonly transferMs: number;
}

/** Long beside what a question costs by itself; on a busy machine that is much. The shorter, the more samples … */
export const TRANSFERS_MS = [400, 1200] as const;
/** … but no fewer bytes than this, nor more. */
const LEAST_BYTES = 2 * 1024;
const MOST_BYTES = 1024 * 1024;
/** A limited transfer is at most by this much faster than the limit. */
const SEEN_SHARE = 1.2;
/** A path must have carried so many times the limit, or nobody could tell the two apart. */
const LEAST_FASTER = 2 * SEEN_SHARE;
/** The share of the throughput of before that a healed path must have. */
const HEALED_SHARE = 0.8;
/** How many times slower than before it may be then. */
export const HEALED_SLOWER = 1 / HEALED_SHARE;

/** Toxiproxy counts in whole KB of 1000 bytes a second; never more than was asked for. */
const kilobytes = (bytesPerSecond: number): number => Math.max(1, Math.floor(bytesPerSecond / 1000));

export const bandwidthToxics = ({ bytesPerSecond, directions }: BandwidthLimit, prefix: string): readonly ToxicSpec[] =>
  directions.map((stream) => ({
    name: `${prefix}-bandwidth-${stream}`,
    type: 'bandwidth',
    stream,
    attributes: { rate: kilobytes(bytesPerSecond) },
  }));

/** What a canary has to get through in the limited directions. */
export const transferPlan = ({ bytesPerSecond, directions, transferMs }: BandwidthLimit): TransferPlan => ({
  ways: directions,
  bytes: Math.round(Math.min(MOST_BYTES, Math.max(LEAST_BYTES, (bytesPerSecond * transferMs) / 1000))),
});

/** The longest that a transfer takes by the limit alone, with an answer that is longer than what was planned. */
export const longestTransferMs = (limit: BandwidthLimit): number =>
  (2 * transferPlan(limit).bytes) / kilobytes(limit.bytesPerSecond);

/** Answered, and no faster than the limit allows. */
export const isLimited = ({ bytesPerSecond }: BandwidthLimit, probe: ProbeResult): boolean =>
  probe.class === 'ok' && (throughputOf(probe) ?? Infinity) <= SEEN_SHARE * bytesPerSecond;

/** Answered, and faster than the limit would allow; of what is no transfer, the answer is enough. */
export const isUnlimited = (limit: BandwidthLimit, probe: ProbeResult): boolean =>
  probe.class === 'ok' && (probe.bytes === undefined || !isLimited(limit, probe));

/** Whether a path carried enough before for the limit to be told. */
export const canBeTold = (limit: BandwidthLimit, { medianMs }: Baseline): boolean =>
  transferPlan(limit).bytes * 1000 >= LEAST_FASTER * limit.bytesPerSecond * medianMs;
