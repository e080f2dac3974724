// How long each partition was away, from the acknowledgements alone (classes 32 and 33). Pure functions; nothing here decides
// the verdict. An outage is the longest stall that overlaps a fault's time (from the last acknowledgement before it to a little
// after its heal, or to the next fault), and it ends with the first of several acknowledgements in a row, so that one stray
// answer is no recovery. A later stall is the fault's only if it is longer than what is routine without one.
import { PROBE_PRODUCERS } from '../vocabulary.ts';
import type { FaultLine } from './history-lines.ts';
import type { BoundResult, BoundsState, PartitionAvailability } from './judgement.ts';
import type { PartitionLog, Placed } from './run-facts.ts';

export interface Bounds {
  readonly recoverWithinMs?: number;
  readonly longestGapMs?: number;
}

/** When one fault acted, ms since the start of the run. */
export interface FaultTurn {
  readonly id: string;
  readonly fault: string;
  readonly appliedAt: number;
  readonly healedAt?: number;
  /** When the next fault was applied; what stalls from then on is that one's. */
  readonly next?: number;
}

/** Faults that take away what a partition cannot do without: it may be away until the heal, and recovery counts from there. */
const NO_PROGRESS_EXPECTED: ReadonlySet<string> = new Set([
  'all-brokers-kill',
  'client-partition',
  'object-store-outage',
  'wal-outage',
]);

const RECOVERED_ACKS = 5;
const RECOVERED_WITHIN_MS = 2000;
const OUTSTANDING_MS = 500;
/** How long after its heal a fault may still make a partition stall: leaders move back, clients come back. */
const RECOVERY_MS = 5000;

const PROBES: ReadonlySet<string> = new Set(PROBE_PRODUCERS);

/** First and last moment at which the load handed a request over. */
export interface LoadWindow {
  readonly from: number;
  readonly to: number;
}

/** What availability is measured from, of one partition: small enough to be kept for all of them. */
export interface PartitionService {
  readonly topic: string;
  readonly partition: number;
  /** Acknowledged records, those of probes included. */
  readonly acked: number;
  /**
   * When requests of the load were acknowledged, rising. A probe that is answered while the load is not, by a listener that no
   * client is told of or because it does not back off, is no service.
   */
  readonly times: readonly number[];
  /** Of the requests of this partition; absent where there were none. */
  readonly sent?: LoadWindow;
}

export const serviceOf = ({ topic, partition, lanes }: PartitionLog): PartitionService => {
  const times: number[] = [];
  let acked = 0;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { producer, runs } of lanes) {
    for (const { outcome, sent, settled, count } of runs) {
      from = Math.min(from, sent.at);
      to = Math.max(to, sent.at);
      if (outcome !== 'ok' || settled === undefined) continue;
      if (!PROBES.has(producer)) times.push(settled.at);
      acked += count;
    }
  }
  times.sort((one, other) => one - other);
  return { topic, partition, acked, times, ...(from > to ? {} : { sent: { from, to } }) };
};

/** Over all partitions; undefined where nothing was sent. */
export const loadWindow = (services: readonly PartitionService[]): LoadWindow | undefined =>
  services
    .flatMap(({ sent }) => sent ?? [])
    .reduce<LoadWindow | undefined>(
      (all, one) => ({ from: Math.min(all?.from ?? one.from, one.from), to: Math.max(all?.to ?? one.to, one.to) }),
      undefined,
    );

/** The faults that were applied, in order. `loadEnd`: when the last request was handed over. */
export const faultTurns = (faults: readonly Placed<FaultLine>[], loadEnd: number): FaultTurn[] => {
  const turns = new Map<string, { id: string; fault: string; appliedAt: number; healedAt?: number }>();
  for (const { id, fault, edge, at } of faults) {
    const turn = turns.get(id);
    if (edge === 'applied' && turn === undefined) turns.set(id, { id, fault, appliedAt: at });
    else if (edge === 'healed' && turn !== undefined) turn.healedAt ??= at;
  }
  const inLoad = [...turns.values()].filter(({ appliedAt }) => appliedAt <= loadEnd);
  inLoad.sort((one, other) => one.appliedAt - other.appliedAt);
  return inLoad.map((turn, index) => {
    const next = inLoad[index + 1]?.appliedAt;
    return next === undefined ? turn : { ...turn, next };
  });
};

/** How many acknowledgements in two seconds make a partition recovered: five, or half of what it had before if that is less. */
const recoveredAcks = (times: readonly number[], appliedAt: number): number => {
  const before = times.filter((time) => time < appliedAt);
  const first = before[0];
  if (first === undefined) return RECOVERED_ACKS;
  const usual = (before.length / Math.max(1, appliedAt - first)) * RECOVERED_WITHIN_MS;
  return Math.max(1, Math.min(RECOVERED_ACKS, Math.floor(usual / 2)));
};

/** The acknowledgements that come in rows of `needed` within two seconds; the others are strays in a stall. */
const serviceTimes = (times: readonly number[], needed: number): number[] => {
  const service: number[] = [];
  let covered = -1;
  times.forEach((time, index) => {
    const last = times[index + needed - 1];
    if (last !== undefined && last - time <= RECOVERED_WITHIN_MS) covered = index + needed - 1;
    if (index <= covered) service.push(time);
  });
  return service;
};

type Outage = PartitionAvailability['outages'][number];

interface Stall {
  readonly from: number;
  /** Absent = it lasts to the end of the load. */
  readonly to?: number;
}

const lastAtOrBefore = (service: readonly number[], at: number, load: LoadWindow): number =>
  service.findLast((time) => time <= at) ?? load.from;

/**
 * Where a turn's own stalls end: they begin before the last service under it, or were stalls already when the next fault was
 * applied, which then did not cause them.
 */
const ownUntil = (service: readonly number[], { next }: FaultTurn, load: LoadWindow): number => {
  if (next === undefined) return Number.POSITIVE_INFINITY;
  const last = lastAtOrBefore(service, next, load);
  return next - last > OUTSTANDING_MS ? next : last;
};

/**
 * The stalls that overlap a turn; the first begins with the last service before the fault. One without an end is among them
 * whenever it began: no partition stays away by routine.
 */
const stallsOf = (service: readonly number[], turn: FaultTurn, load: LoadWindow): Stall[] => {
  const first = lastAtOrBefore(service, turn.appliedAt, load);
  const end = ownUntil(service, turn, load);
  const over = turn.healedAt === undefined ? Number.POSITIVE_INFINITY : turn.healedAt + RECOVERY_MS;
  const stalls: Stall[] = [];
  let from = first;
  for (const to of [...service.filter((time) => time > first), undefined]) {
    if (from !== first && from >= end) break;
    if (to === undefined && load.to - from > RECOVERED_WITHIN_MS) stalls.push({ from });
    else if (to !== undefined && (from === first || from <= over)) stalls.push({ from, to });
    from = to ?? from;
  }
  return stalls;
};

const longestStall = (service: readonly number[], until: number): number => {
  let longest = 0;
  for (let index = 1; (service[index] ?? until) < until; index++) {
    longest = Math.max(longest, (service[index] as number) - (service[index - 1] as number));
  }
  return longest;
};

/** A stall longer than this stands out of the usual unevenness: before the fault, and in a run without one. */
const outstandingMs = (service: readonly number[], turn: FaultTurn, routineMs: number): number =>
  Math.max(OUTSTANDING_MS, routineMs, 2 * longestStall(service, turn.appliedAt));

/** The longest stall of any partition in a run without faults, ms: what is routine here. */
export const routineStall = (services: readonly PartitionService[]): number =>
  services.reduce((longest, { times }) => {
    const end = times.at(-1);
    if (end === undefined) return longest;
    const service = serviceTimes(times, recoveredAcks(times, end));
    return Math.max(longest, longestStall(service, Number.POSITIVE_INFINITY));
  }, 0);

/**
 * The stall that began before the fault, or a longer one of its turn that stands out; one without an end is the longest of
 * all. The usual unevenness of a healthy partition is no outage of it.
 */
const outageOf = (
  times: readonly number[],
  turn: FaultTurn,
  turns: readonly FaultTurn[],
  load: LoadWindow,
  routineMs: number,
): Outage | undefined => {
  const service = serviceTimes(times, recoveredAcks(times, turn.appliedAt));
  const outstanding = outstandingMs(service, turn, routineMs);
  let worst: Stall | undefined;
  for (const stall of stallsOf(service, turn, load)) {
    if (stall.to === undefined) return describeOutage(turn, stall, turns);
    const ms = stall.to - stall.from;
    if (worst?.to === undefined || (ms > outstanding && ms > worst.to - worst.from)) worst = stall;
  }
  return worst === undefined ? undefined : describeOutage(turn, worst, turns);
};

/** Since when recovery counts after a fault by itself. */
const countsFrom = ({ fault, appliedAt, healedAt }: FaultTurn): number =>
  NO_PROGRESS_EXPECTED.has(fault) ? (healedAt ?? appliedAt) : appliedAt;

/** Recovery counts from the fault, or from the heal of another one that took the service away during the same stall. */
const describeOutage = (turn: FaultTurn, { from, to }: Stall, turns: readonly FaultTurn[]): Outage => {
  const lasting = turns.filter(({ appliedAt, healedAt = Infinity }) => healedAt > from && appliedAt < (to ?? Infinity));
  const since = Math.max(...[turn, ...lasting.filter(({ fault }) => NO_PROGRESS_EXPECTED.has(fault))].map(countsFrom));
  return {
    faultId: turn.id,
    from,
    ...(to === undefined ? {} : { to, ms: to - from, recoveredAfterMs: Math.max(0, to - since) }),
  };
};

const longestGap = (times: readonly number[], from: number, to: number): { ms: number; from: number } => {
  let last = from;
  let longest = { ms: 0, from };
  for (const time of [...times.filter((at) => at > from && at < to), to]) {
    if (time - last > longest.ms) longest = { ms: time - last, from: last };
    last = time;
  }
  return longest;
};

/** One partition's availability over the load. `routineMs`: the longest stall of the same load without a fault, ms. */
export const availabilityOf = (
  { topic, partition, acked, times }: PartitionService,
  turns: readonly FaultTurn[],
  load: LoadWindow,
  routineMs = 0,
): PartitionAvailability => {
  const gap = longestGap(times, load.from, load.to);
  return {
    topic,
    partition,
    acked,
    longestGapMs: gap.ms,
    longestGapFrom: gap.from,
    outages: turns.flatMap((turn) => outageOf(times, turn, turns, load, routineMs) ?? []),
  };
};

const place = ({ topic, partition }: PartitionAvailability): string => `${topic}/${partition}`;

const recoverWithin = (limitMs: number, partitions: readonly PartitionAvailability[]): BoundResult => {
  const outages = partitions.flatMap((one) => one.outages.map((outage) => ({ ...outage, where: place(one) })));
  const first = outages[0];
  if (first === undefined)
    return { name: 'recoverWithin', limitMs, state: 'no-samples', where: 'no fault was applied under load' };
  const never = outages.find(({ to }) => to === undefined);
  if (never !== undefined) {
    return { name: 'recoverWithin', limitMs, state: 'missed', where: `${never.where} after ${never.faultId}: never` };
  }
  const worst = outages.reduce((one, other) =>
    (other.recoveredAfterMs ?? 0) > (one.recoveredAfterMs ?? 0) ? other : one,
  );
  const measuredMs = worst.recoveredAfterMs ?? 0;
  const state = measuredMs <= limitMs ? 'met' : 'missed';
  return { name: 'recoverWithin', limitMs, measuredMs, state, where: `${worst.where} after ${worst.faultId}` };
};

const longestGapBound = (limitMs: number, partitions: readonly PartitionAvailability[]): BoundResult => {
  const first = partitions[0];
  if (first === undefined) return { name: 'longestGap', limitMs, state: 'no-samples', where: 'nothing was sent' };
  const worst = partitions.reduce((one, other) => (other.longestGapMs > one.longestGapMs ? other : one), first);
  const state = worst.longestGapMs <= limitMs ? 'met' : 'missed';
  return { name: 'longestGap', limitMs, measuredMs: worst.longestGapMs, state, where: place(worst) };
};

/** What was measured against each bound that is set. */
export const checkBounds = (bounds: Bounds, partitions: readonly PartitionAvailability[]): BoundResult[] => [
  ...(bounds.recoverWithinMs === undefined ? [] : [recoverWithin(bounds.recoverWithinMs, partitions)]),
  ...(bounds.longestGapMs === undefined ? [] : [longestGapBound(bounds.longestGapMs, partitions)]),
];

/** Missed before unmeasured before met; no bound at all is met. */
export const boundsState = (results: readonly BoundResult[]): BoundsState => {
  if (results.some(({ state }) => state === 'missed')) return 'missed';
  return results.some(({ state }) => state === 'no-samples') ? 'no-samples' : 'met';
};
