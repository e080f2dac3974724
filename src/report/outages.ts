// How long each partition was away under each fault, and whose share that was. The load shows the outage; two probe lanes that
// send one record at a time tell it apart: while the lane that goes straight to the brokers is away, the server is; while only
// the lane through the proxies is away, the path is; what is left is the client's own. The shares add up by construction.
//
// These figures are drawn, not judged: bounds are checked by the judge against its own.
import { PROBE_PRODUCERS } from '../vocabulary.ts';
import type { Attempt } from './attempts.ts';
import type { OutageReport } from './model.ts';

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * When a fault acted, from its first step: outages that end after `appliedAt` and begin by `endsAt` are its own; by `over`, if
 * they end at all.
 */
export interface FaultTurn {
  readonly faultId: string;
  readonly appliedAt: number;
  readonly over: number;
  readonly endsAt: number;
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
  const serverMs = length(direct);
  const proxyMs = lengthOutside(proxied, direct);
  return { serverMs, proxyMs, clientMs: Math.max(0, outage.to - outage.from - serverMs - proxyMs) };
};

const median = (times: readonly number[]): number => {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
};

const longestIn = (stretches: readonly Stretch[], turn: FaultTurn, until: number): Stretch | undefined =>
  stretches
    .filter(({ from, to }) => to > turn.appliedAt && from <= turn.endsAt && (from <= turn.over || to >= until))
    .sort((one, other) => other.to - other.from - (one.to - one.from))[0];

/** The outages of one partition, at most one for each fault. */
const partitionOutages = (
  load: readonly Attempt[],
  probes: readonly Attempt[],
  turns: readonly FaultTurn[],
  place: Pick<OutageReport, 'topic' | 'partition'>,
  until: number,
): OutageReport[] => {
  const times = ackTimes(load);
  const usual = median(times.filter((time) => time <= (turns[0]?.appliedAt ?? until)));
  const away = silences(times, until, Math.max(LEAST_OUTAGE_MS, JITTER * usual));
  return turns.flatMap((turn) => {
    const outage = longestIn(away, turn, until);
    if (outage === undefined) return [];
    const shares = sharesOf(outage, probes, until);
    const { from, to } = outage;
    const back = to < until ? { to, ms: to - from } : {};
    return [{ ...place, faultId: turn.faultId, from, ...back, ...(shares === undefined ? {} : { shares }) }];
  });
};

/** The outages of a part, by partition and fault. */
export const outagesOf = (
  load: readonly Attempt[],
  probes: readonly Attempt[],
  turns: readonly FaultTurn[],
): readonly OutageReport[] => {
  const until = load.reduce((latest, { sentAt }) => Math.max(latest, sentAt), 0);
  return [...byPlace(load).values()]
    .flatMap((mine) => {
      const [first] = mine;
      if (first === undefined) return [];
      const { topic, partition } = first;
      const lanes = probes.filter((probe) => probe.topic === topic && probe.partition === partition);
      return partitionOutages(mine, lanes, turns, { topic, partition }, until);
    })
    .sort((one, other) => one.partition - other.partition || one.from - other.from);
};

const byPlace = (attempts: readonly Attempt[]): ReadonlyMap<string, readonly Attempt[]> => {
  const places = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const key = JSON.stringify([attempt.topic, attempt.partition]);
    const known = places.get(key);
    if (known === undefined) places.set(key, [attempt]);
    else known.push(attempt);
  }
  return places;
};
