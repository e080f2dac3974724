// Liveness bounds: what was measured against each. A bound that nothing was measured against is never met.
import type { BoundResult, BoundsState, PartitionAvailability } from './judgement.ts';

export interface Bounds {
  readonly recoverWithinMs?: number;
  readonly longestGapMs?: number;
}

const place = ({ topic, partition }: PartitionAvailability): string => `${topic}/${partition}`;

const recoverWithin = (limitMs: number, partitions: readonly PartitionAvailability[]): BoundResult => {
  const outages = partitions.flatMap((one) => one.outages.map((outage) => ({ ...outage, where: place(one) })));
  const never = outages.find(({ to }) => to === undefined);
  if (never !== undefined) {
    const where = `${never.where} was never acknowledged again after ${never.faultId}`;
    return { name: 'recoverWithin', limitMs, state: 'missed', where };
  }
  const [worst] = outages.sort((one, other) => (other.recoveredAfterMs ?? 0) - (one.recoveredAfterMs ?? 0));
  const measuredMs = worst?.recoveredAfterMs ?? 0;
  if (worst !== undefined && measuredMs > limitMs) {
    const where = `${worst.where} after ${worst.faultId}`;
    return { name: 'recoverWithin', limitMs, measuredMs, state: 'missed', where };
  }
  const blind = partitions.find(({ notAttempted }) => notAttempted !== undefined);
  if (blind?.notAttempted !== undefined) {
    const where = `nothing was attempted in ${place(blind)} after ${blind.notAttempted[0]?.faultId}`;
    return { name: 'recoverWithin', limitMs, state: 'no-samples', where };
  }
  if (worst === undefined)
    return { name: 'recoverWithin', limitMs, state: 'no-samples', where: 'no fault was applied under load' };
  return { name: 'recoverWithin', limitMs, measuredMs, state: 'met', where: `${worst.where} after ${worst.faultId}` };
};

const longestGapBound = (limitMs: number, partitions: readonly PartitionAvailability[]): BoundResult => {
  const first = partitions[0];
  if (first === undefined) return { name: 'longestGap', limitMs, state: 'no-samples', where: 'nothing was sent' };
  const sampled = partitions.filter(({ longestGapUnattempted = false }) => !longestGapUnattempted);
  const longest = (all: readonly PartitionAvailability[]): PartitionAvailability | undefined =>
    [...all].sort((one, other) => other.longestGapMs - one.longestGapMs)[0];
  const worst = longest(sampled);
  if (worst !== undefined && worst.longestGapMs > limitMs) {
    return { name: 'longestGap', limitMs, measuredMs: worst.longestGapMs, state: 'missed', where: place(worst) };
  }
  const widest = longest(partitions) ?? first;
  if (widest.longestGapMs > limitMs) {
    const where = `nothing was attempted in ${place(widest)} in its longest gap`;
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
