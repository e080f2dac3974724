// Liveness bounds: what was measured against each. A bound that nothing was measured against is never met.
import type { BoundResult, BoundsState, PartitionAvailability } from './judgement.ts';

export interface Bounds {
  readonly recoverWithinMs?: number;
  readonly longestGapMs?: number;
}

const place = ({ topic, partition }: PartitionAvailability): string => `${topic}/${partition}`;

const recoverWithin = (limitMs: number, partitions: readonly PartitionAvailability[]): BoundResult => {
  const outages = partitions.flatMap((one) => one.outages.map((outage) => ({ ...outage, where: place(one) })));
  const first = outages[0];
  if (first === undefined)
    return { name: 'recoverWithin', limitMs, state: 'no-samples', where: 'no fault was applied under load' };
  const never = outages.find(({ to }) => to === undefined);
  if (never !== undefined) {
    const where = `${never.where} was never acknowledged again after ${never.faultId}`;
    return { name: 'recoverWithin', limitMs, state: 'missed', where };
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
