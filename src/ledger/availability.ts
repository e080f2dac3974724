// How long each partition was away, from the acknowledgements alone (classes 32 and 33). Pure functions; nothing here decides
// the verdict. An outage is the longest stall that overlaps a fault's time (from the last acknowledgement before it to a little
// after its heal, or to the next fault), and it ends with the first of several acknowledgements in a row, so that one stray
// answer is no recovery. A later stall is the fault's only if it is longer than what is routine without one.
import type { FaultLine } from './history-lines.ts';
import type { Outage, PartitionAvailability } from './judgement.ts';
import type { Placed, Standstill } from './run-facts.ts';
import { type LoadWindow, type PartitionService, RECOVERED_WITHIN_MS, recoveredAcks, serviceTimes } from './service.ts';

/** When one fault acted, ms since the start of the run. */
export interface FaultTurn {
  readonly id: string;
  readonly fault: string;
  readonly appliedAt: number;
  readonly healedAt?: number;
  /** Whether it takes away, for as long as it lasts, what a partition cannot do without. */
  readonly isDependencyOutage: boolean;
  /** When the next fault was applied; what stalls from then on is that one's. */
  readonly next?: number;
}

/**
 * Faults that take away what a partition cannot do without, on whatever path: it may be away until the heal, and recovery counts
 * from there.
 */
const DEPENDENCY_OUTAGES: ReadonlySet<string> = new Set([
  'all-brokers-kill',
  'client-partition',
  'connection-reset',
  'disk-read-only',
  'object-store-denied',
  'object-store-error',
  'object-store-late-commit',
  'object-store-lost-response',
  'object-store-outage',
  'object-store-throttle',
  'request-loss',
  'response-loss',
  'wal-io-error',
  'wal-io-stall',
  'wal-outage',
]);
/** The same where their victim is no broker: a partition fails over to another broker, and to no other controller or store. */
const UNLESS_OF_BROKERS: ReadonlySet<string> = new Set([
  'disk-full',
  'graceful-stop',
  'memory-pressure',
  'node-isolate',
  'oom-kill',
  'process-kill',
  'process-pause',
]);

/** What programs do, nobody knows; where it is done to every broker, no other one can serve. */
const takesEveryBroker = ({ fault, everyBroker }: FaultLine): boolean => fault === 'command' && everyBroker === true;

const isDependencyOutage = (line: FaultLine): boolean => {
  const { fault, victims = [] } = line;
  if (UNLESS_OF_BROKERS.has(fault)) return victims.length === 0;
  return DEPENDENCY_OUTAGES.has(fault) || takesEveryBroker(line);
};

/** Faults that strike more than once: a stall amid them comes from the strike that it began with, not from the first one. */
const STEP_BY_STEP: ReadonlySet<string> = new Set(['crash-loop', 'rolling-restart']);

const OUTSTANDING_MS = 500;
/** How long after its heal a fault may still make a partition stall: leaders move back, clients come back. */
const RECOVERY_MS = 5000;

/** The faults that were applied, in order. `loadEnd`: when the last request was handed over. */
export const faultTurns = (faults: readonly Placed<FaultLine>[], loadEnd: number): FaultTurn[] => {
  const turns = new Map<string, Omit<FaultTurn, 'healedAt'> & { healedAt?: number }>();
  for (const line of faults) {
    const { id, fault, edge, at } = line;
    const turn = turns.get(id);
    if (edge === 'applied' && turn === undefined) {
      turns.set(id, { id, fault, appliedAt: at, isDependencyOutage: isDependencyOutage(line) });
    } else if (edge === 'healed' && turn !== undefined) turn.healedAt ??= at;
  }
  const inLoad = [...turns.values()].filter(({ appliedAt }) => appliedAt <= loadEnd);
  inLoad.sort((one, other) => one.appliedAt - other.appliedAt);
  return inLoad.map((turn, index) => {
    const next = inLoad[index + 1]?.appliedAt;
    return next === undefined ? turn : { ...turn, next };
  });
};

/** Nothing was attempted from here on, and no recovery had been seen by then. */
interface Unattempted {
  readonly faultId: string;
  readonly unattemptedFrom: number;
}

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
 * The stalls that overlap a turn; the first begins with the last service before the fault. One without an end, longer than
 * `endlessMs`, is among them whenever it began: no partition stays away by routine.
 */
const stallsOf = (service: readonly number[], turn: FaultTurn, load: LoadWindow, endlessMs: number): Stall[] => {
  const first = lastAtOrBefore(service, turn.appliedAt, load);
  const end = ownUntil(service, turn, load);
  const over = turn.healedAt === undefined ? Number.POSITIVE_INFINITY : turn.healedAt + RECOVERY_MS;
  const stalls: Stall[] = [];
  let from = first;
  for (const to of [...service.filter((time) => time > first), undefined]) {
    if (from !== first && from >= end) break;
    if (to === undefined && load.to - from > endlessMs) stalls.push({ from });
    else if (to !== undefined && (from === first || from <= over)) stalls.push({ from, to });
    from = to ?? from;
  }
  return stalls;
};

/** The longest stall that ended before `until` and overlaps none of the turns. */
const longestStall = (service: readonly number[], until: number, apartFrom: readonly FaultTurn[] = []): number => {
  let longest = 0;
  for (let index = 1; (service[index] ?? until) < until; index++) {
    const [from, to] = [service[index - 1] as number, service[index] as number];
    const isOfFault = apartFrom.some(
      ({ appliedAt, healedAt = Number.POSITIVE_INFINITY }) => appliedAt < to && from <= healedAt + RECOVERY_MS,
    );
    if (!isOfFault) longest = Math.max(longest, to - from);
  }
  return longest;
};

/**
 * A stall longer than this stands out of the usual unevenness: before the fault, and in a run without one. What earlier faults did
 * is nothing usual.
 */
const outstandingMs = (
  service: readonly number[],
  turn: FaultTurn,
  turns: readonly FaultTurn[],
  routineMs: number,
): number => {
  const earlier = turns.filter(({ appliedAt }) => appliedAt < turn.appliedAt);
  return Math.max(OUTSTANDING_MS, routineMs, 2 * longestStall(service, turn.appliedAt, earlier));
};

/** The longest stall of any partition in a run without faults, ms: what is routine here. */
export const routineStall = (services: readonly PartitionService[]): number =>
  services.reduce((longest, { times }) => {
    const end = times.at(-1);
    if (end === undefined) return longest;
    const service = serviceTimes(times, recoveredAcks(times, end));
    return Math.max(longest, longestStall(service, Number.POSITIVE_INFINITY));
  }, 0);

/** What outages are measured by. */
export interface Yardstick {
  /** The longest stall of the same load without a fault, ms. */
  readonly routineMs?: number;
  /** The bound on recovery, where there is one. */
  readonly recoverWithinMs?: number | undefined;
  /** When ackproof itself did nothing, apart from each other: whatever was silent then may have been well. */
  readonly standstills?: readonly Standstill[];
}

const overlapMs = (standstills: readonly Standstill[], from: number, to: number): number =>
  standstills.reduce((sum, one) => sum + Math.max(0, Math.min(one.to, to) - Math.max(one.from, from)), 0);

/** `outage` with what of the time that bounds count is not the cluster's. */
const withStandstills = (outage: Outage, standstills: readonly Standstill[]): Outage => {
  const { to, recoveredAfterMs } = outage;
  if (to === undefined || recoveredAfterMs === undefined) return outage;
  const stoodStillMs = overlapMs(standstills, to - recoveredAfterMs, to);
  return stoodStillMs === 0 ? outage : { ...outage, stoodStillMs };
};

/** Since when the recovery from a stall that began at `from` counts after a fault by itself. */
const countsFrom = (turn: FaultTurn, from: number): number => {
  const { fault, appliedAt, healedAt } = turn;
  if (STEP_BY_STEP.has(fault)) return Math.max(appliedAt, from);
  return turn.isDependencyOutage ? (healedAt ?? appliedAt) : appliedAt;
};

/**
 * The stall that began before the fault, or a longer one of its turn that stands out; one without an end is the longest of
 * all, unless nothing was attempted in it. The usual unevenness of a healthy partition is no outage of it.
 */
const outageOf = (
  { times, triedUntil }: PartitionService,
  turn: FaultTurn,
  turns: readonly FaultTurn[],
  load: LoadWindow,
  { routineMs = 0, recoverWithinMs = Number.POSITIVE_INFINITY }: Yardstick,
): Outage | Unattempted | undefined => {
  const service = serviceTimes(times, recoveredAcks(times, turn.appliedAt));
  const outstanding = outstandingMs(service, turn, turns, routineMs);
  // A bound below the time that a row of acknowledgements may take is missed by whoever has not come back within it.
  const endlessMs = Math.min(RECOVERED_WITHIN_MS, Math.max(recoverWithinMs, outstanding));
  let worst: Stall | undefined;
  for (const stall of stallsOf(service, turn, load, endlessMs)) {
    if (stall.to === undefined) {
      if (triedUntil > stall.from) return describeOutage(turn, stall, turns);
      if (stall.from >= countsFrom(turn, stall.from) + OUTSTANDING_MS) continue;
      return { faultId: turn.id, unattemptedFrom: stall.from };
    }
    const ms = stall.to - stall.from;
    if (worst?.to === undefined || (ms > outstanding && ms > worst.to - worst.from)) worst = stall;
  }
  return worst === undefined ? undefined : describeOutage(turn, worst, turns);
};

/** Recovery counts from the fault, or from the heal of another one that took the service away during the same stall. */
const describeOutage = (turn: FaultTurn, { from, to }: Stall, turns: readonly FaultTurn[]): Outage => {
  const { id: faultId, appliedAt: actedAt, healedAt: endedAt } = turn;
  if (to === undefined) return { faultId, from };
  const lasting = turns.filter(({ appliedAt, healedAt = Infinity }) => healedAt > from && appliedAt < to);
  const causes = [turn, ...lasting.filter((other) => other.isDependencyOutage)];
  const since = Math.max(...causes.map((cause) => countsFrom(cause, from)));
  return {
    faultId,
    from,
    to,
    ms: to - from,
    recoveredAfterMs: Math.max(0, to - since),
    afterAppliedMs: Math.max(0, to - actedAt),
    ...(endedAt === undefined ? {} : { afterHealedMs: Math.max(0, to - endedAt) }),
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

/** One partition's availability over the load. */
export const availabilityOf = (
  service: PartitionService,
  turns: readonly FaultTurn[],
  load: LoadWindow,
  yardstick: Yardstick = {},
): PartitionAvailability => {
  const { topic, partition, acked, times, triedUntil } = service;
  const { standstills = [] } = yardstick;
  const gap = longestGap(times, load.from, load.to);
  const results = turns.flatMap((turn) => outageOf(service, turn, turns, load, yardstick) ?? []);
  const notAttempted = results.flatMap((result) =>
    'unattemptedFrom' in result ? [{ faultId: result.faultId, from: result.unattemptedFrom }] : [],
  );
  const stoodStillMs = overlapMs(standstills, gap.from, gap.from + gap.ms);
  return {
    topic,
    partition,
    acked,
    longestGapMs: gap.ms,
    longestGapFrom: gap.from,
    ...(triedUntil <= gap.from ? { longestGapUnattempted: true as const } : {}),
    ...(stoodStillMs === 0 ? {} : { longestGapStoodStillMs: stoodStillMs }),
    outages: results.flatMap((result) => ('unattemptedFrom' in result ? [] : [withStandstills(result, standstills)])),
    ...(notAttempted.length === 0 ? {} : { notAttempted }),
  };
};
