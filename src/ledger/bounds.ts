// Liveness bounds: what was measured against each. A bound that nothing was measured against is never met.
import type { BoundResult, BoundsState, Outage, PartitionAvailability } from './judgement.ts';
import { stretch } from './sentences.ts';

export interface Bounds {
  readonly recoverWithinMs?: number;
  readonly longestGapMs?: number;
}

const place = ({ topic, partition }: PartitionAvailability): string => `${topic}/${partition}`;

const stoodStill = (ms: number): string => `ackproof itself stood still for ${stretch(ms)} of it`;

/** What is surely the cluster's of a recovery or a gap: the time in which ackproof stood still need not be. */
const recoveryOf = ({ recoveredAfterMs = 0, stoodStillMs = 0 }: Outage): number => recoveredAfterMs - stoodStillMs;
const gapOf = ({ longestGapMs, longestGapStoodStillMs = 0 }: PartitionAvailability): number =>
  longestGapMs - longestGapStoodStillMs;

const largest = <T>(all: readonly T[], size: (one: T) => number): T | undefined =>
  [...all].sort((one, other) => size(other) - size(one))[0];

const recoverWithin = (limitMs: number, partitions: readonly PartitionAvailability[]): BoundResult => {
  const outages = partitions.flatMap((one) => one.outages.map((outage) => ({ ...outage, where: place(one) })));
  const never = outages.find(({ to }) => to === undefined);
  if (never !== undefined) {
    const where = `${never.where} was never acknowledged again after ${never.faultId}`;
    return { name: 'recoverWithin', limitMs, state: 'missed', where };
  }
  const surely = largest(outages, recoveryOf);
  if (surely !== undefined && recoveryOf(surely) > limitMs) {
    const where = `${surely.where} after ${surely.faultId}`;
    return { name: 'recoverWithin', limitMs, measuredMs: surely.recoveredAfterMs ?? 0, state: 'missed', where };
  }
  const blind = partitions.find(({ notAttempted }) => notAttempted !== undefined);
  if (blind?.notAttempted !== undefined) {
    const where = `nothing was attempted in ${place(blind)} after ${blind.notAttempted[0]?.faultId}`;
    return { name: 'recoverWithin', limitMs, state: 'no-samples', where };
  }
  const worst = largest(outages, ({ recoveredAfterMs = 0 }) => recoveredAfterMs);
  if (worst === undefined)
    return { name: 'recoverWithin', limitMs, state: 'no-samples', where: 'no fault was applied under load' };
  const { recoveredAfterMs: measuredMs = 0, stoodStillMs = 0 } = worst;
  const where = `${worst.where} after ${worst.faultId}`;
  if (measuredMs <= limitMs) return { name: 'recoverWithin', limitMs, measuredMs, state: 'met', where };
  return { name: 'recoverWithin', limitMs, state: 'no-samples', where: `${where}: ${stoodStill(stoodStillMs)}` };
};

const longestGapBound = (limitMs: number, partitions: readonly PartitionAvailability[]): BoundResult => {
  const first = partitions[0];
  if (first === undefined) return { name: 'longestGap', limitMs, state: 'no-samples', where: 'nothing was sent' };
  const sampled = partitions.filter(({ longestGapUnattempted = false }) => !longestGapUnattempted);
  const surely = largest(sampled, gapOf);
  if (surely !== undefined && gapOf(surely) > limitMs) {
    return { name: 'longestGap', limitMs, measuredMs: surely.longestGapMs, state: 'missed', where: place(surely) };
  }
  const widest = largest(partitions, ({ longestGapMs }) => longestGapMs) ?? first;
  if (widest.longestGapMs > limitMs) {
    const { longestGapUnattempted = false, longestGapStoodStillMs = 0 } = widest;
    const where = longestGapUnattempted
      ? `nothing was attempted in ${place(widest)} in its longest gap`
      : `${place(widest)}: ${stoodStill(longestGapStoodStillMs)}`;
    return { name: 'longestGap', limitMs, state: 'no-samples', where };
  }
  return { name: 'longestGap', limitMs, measuredMs: widest.longestGapMs, state: 'met', where: place(widest) };
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
