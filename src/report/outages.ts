// How long each partition was away under each fault, and whose share that was. The judge measured the outages from the load; two
// probe lanes that send one record at a time tell them apart: while the lane that goes straight to the brokers is away, the
// brokers are; while only the lane through the proxies is away, the path is; what is left is the client's own. The shares
// add up by construction.
import type { PartitionAvailability } from '../ledger/judgement.ts';
import { PROBE_PRODUCERS } from '../vocabulary.ts';
import type { Attempt } from './attempts.ts';
import type { OutageReport } from './model.ts';

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A lane that answers every 20 ms is away when it was silent for this long. */
const PROBE_SILENCE_MS = 150;
const LEAST_OUTAGE_MS = 300;
/** A silence within this many usual intervals is jitter. */
const JITTER = 4;

const [DIRECT, PROXIED] = PROBE_PRODUCERS;

const ackTimes = (attempts: readonly Attempt[]): number[] =>
  attempts
    .flatMap(({ outcome, endedAt }) => (outcome === 'ok' && endedAt !== undefined ? [endedAt] : []))
    .sort((one, other) => one - other);

/** Stretches without an acknowledgement that are longer than `longerThanMs`; the last one may end with the load. */
export const silences = (times: readonly number[], until: number, longerThanMs: number): Stretch[] => {
  const found: Stretch[] = [];
  let last = times[0];
  if (last === undefined) return found;
  for (const time of [...times.slice(1), until]) {
    if (time - last > longerThanMs) found.push({ from: last, to: time });
    last = Math.max(last, time);
  }
  return found;
};

const overlap = (one: Stretch, other: Stretch): Stretch | undefined => {
  const from = Math.max(one.from, other.from);
  const to = Math.min(one.to, other.to);
  return to > from ? { from, to } : undefined;
};

const within = (stretches: readonly Stretch[], whole: Stretch): Stretch[] =>
  stretches.flatMap((stretch) => overlap(stretch, whole) ?? []);

const length = (stretches: readonly Stretch[]): number => stretches.reduce((sum, { from, to }) => sum + to - from, 0);

/** How much of `whole` the stretches cover that is not covered by `others`; each list is free of overlaps. */
const lengthOutside = (stretches: readonly Stretch[], others: readonly Stretch[]): number =>
  length(stretches) - length(stretches.flatMap((stretch) => within(others, stretch)));

const sharesOf = (outage: Stretch, probes: readonly Attempt[], until: number): OutageReport['shares'] => {
  const lane = (producer: string): Stretch[] | undefined => {
    const times = ackTimes(probes.filter((attempt) => attempt.producer === producer));
    return times.length === 0 ? undefined : within(silences(times, until, PROBE_SILENCE_MS), outage);
  };
  const direct = lane(DIRECT);
  const proxied = lane(PROXIED);
  if (direct === undefined || proxied === undefined) return undefined;
  const brokersMs = length(direct);
  const pathMs = lengthOutside(proxied, direct);
  return { brokersMs, pathMs, clientMs: Math.max(0, outage.to - outage.from - brokersMs - pathMs) };
};

const median = (times: readonly number[]): number => {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
};

/** The outages of one partition that stand out of its usual unevenness. */
const partitionOutages = (
  { topic, partition, outages }: PartitionAvailability,
  load: readonly Attempt[],
  probes: readonly Attempt[],
  until: number,
): OutageReport[] => {
  const first = outages.reduce((earliest, { from }) => Math.min(earliest, from), until);
  const usual = median(ackTimes(load).filter((time) => time <= first));
  const least = Math.max(LEAST_OUTAGE_MS, JITTER * usual);
  return outages.flatMap(({ faultId, from, to, ...recovery }) => {
    const end = to ?? until;
    if (to !== undefined && end - from <= least) return [];
    const shares = sharesOf({ from, to: end }, probes, until);
    const back = to === undefined ? {} : { to, ...recovery, ms: to - from };
    return [{ topic, partition, faultId, from, ...back, ...(shares === undefined ? {} : { shares }) }];
  });
};

/** What the judge measured of each partition, with whose share it was; in the order of the partitions, then of time. */
export const outagesOf = (
  availability: readonly PartitionAvailability[],
  load: readonly Attempt[],
  probes: readonly Attempt[],
): readonly OutageReport[] => {
  const until = load.reduce((latest, { sentAt }) => Math.max(latest, sentAt), 0);
  return availability
    .flatMap((one) => {
      const isHere = ({ topic, partition }: Attempt): boolean => topic === one.topic && partition === one.partition;
      return partitionOutages(one, load.filter(isHere), probes.filter(isHere), until);
    })
    .sort((one, other) => one.partition - other.partition || one.from - other.from);
};
