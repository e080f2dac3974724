// The samples of a fault's evidence worth a mark on the timeline: of each kind one of the first round that showed it, or, where
// none did, of the last round.
import { tellingSample } from '../ledger/evidence-rounds.ts';
import type { EvidenceLine } from '../ledger/history-lines.ts';
import type { FaultSummary } from '../ledger/run-record.ts';
import type { EvidenceMark } from './model.ts';

/** The letters of mechanism proof, effect canary and negative control. */
export const MARK_LETTERS = { mechanism: 'M', effect: 'E', control: 'C' } as const;
const KINDS = ['mechanism', 'effect', 'control'] as const;

/** At most one mark of each kind, from the fault's application until its healing began; what came later speaks of the heal. */
export const marksOf = (fault: FaultSummary, samples: readonly EvidenceLine[]): readonly EvidenceMark[] => {
  const { appliedAt, healingAt = Number.POSITIVE_INFINITY } = fault;
  if (appliedAt === undefined) return [];
  const mine = samples.filter(({ id, at }) => id === fault.id && at >= appliedAt && at <= healingAt);
  return KINDS.flatMap((kind) => {
    const telling = tellingSample(mine.filter((sample) => sample.kind === kind));
    if (telling === undefined) return [];
    const { at, seen } = telling.sample;
    return [{ at, kind, holds: telling.holds, seen }];
  });
};
