// Settings of a cluster that may make records go although the scenario says nothing of them. Without them, what a broker-wide
// retention has removed would be judged as lost; with one that cannot have acted, what was lost would be judged as removed.
import type { Workload } from './scenario.ts';

/** Faster than any load of one machine, bytes per second. */
const FASTEST_BYTES_PER_SECOND = 1e9;
/** Of a record beside its value: key, headers, its share of the batch. */
const OVERHEAD_BYTES = 512;
/** Honesty check, recovery and drain, beside the planned load, s. */
const BESIDE_SECONDS = 120;
/** More than the probes of a partition and the honesty check write, bytes per second. */
const PROBE_BYTES_PER_SECOND = 100_000;

type Load = Pick<Workload, 'ratePerSecond' | 'record' | 'warmUpMs' | 'durationMs'>;

/** More than one part of a run can write, bytes. */
const mostBytes = ({ ratePerSecond, record, warmUpMs, durationMs }: Load): number => {
  const bytesPerSecond =
    ratePerSecond === 'max' ? FASTEST_BYTES_PER_SECOND : ratePerSecond * (record.sizeBytes + OVERHEAD_BYTES);
  return (bytesPerSecond + PROBE_BYTES_PER_SECOND) * ((warmUpMs + durationMs) / 1000 + BESIDE_SECONDS);
};

/** Those of `told`, what the cluster says of the topic, by which a part has to be judged. */
export const settingsToJudgeBy = (
  told: Readonly<Record<string, string>>,
  load: Load,
  isShared = false,
): Readonly<Record<string, string>> => {
  const { 'retention.bytes': retentionBytes, 'retention.ms': retentionMs, 'cleanup.policy': policy } = told;
  // What others write counts too, and nobody here knows how much that is.
  const isReached = retentionBytes !== undefined && (isShared || Number(retentionBytes) <= mostBytes(load));
  return {
    ...(retentionMs === undefined ? {} : { 'retention.ms': retentionMs }),
    ...(isReached ? { 'retention.bytes': retentionBytes } : {}),
    ...(policy === undefined ? {} : { 'cleanup.policy': policy }),
  };
};
