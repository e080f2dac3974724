// The samples of a fault's evidence worth a mark on the timeline: of each kind the first that held, or, where none did, the
// last that did not.
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
    const ofKind = mine.filter((sample) => sample.kind === kind);
    const sample = ofKind.find(({ holds }) => holds) ?? ofKind.at(-1);
    return sample === undefined ? [] : [{ at: sample.at, kind, holds: sample.holds, seen: sample.seen }];
  });
};
