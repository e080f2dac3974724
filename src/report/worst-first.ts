// The order in which findings are shown: what breaks the contract before what it allows, what is gone before what is out of
// order, many before few.
import type { Finding } from '../ledger/judgement.ts';
import type { Anomaly } from '../vocabulary.ts';

const WORST: readonly Anomaly[] = [
  'log-reset',
  'lost-tail',
  'lost-write',
  'lost-prefix',
  'inconsistent-offset',
  'duplicate-ack-offset',
  'divergent-route',
  'stale-read',
  'corrupt-value',
  'phantom',
  'wrong-partition',
  'failed-visible',
  'ack-offset-mismatch',
  'duplicate',
];
const SEVERITY = { violation: 0, degradation: 1, note: 2 } as const;

const rank = ({ anomaly }: Finding): number => {
  const index = WORST.indexOf(anomaly);
  return index === -1 ? WORST.length : index;
};

/** A sorted copy. */
export const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  [...findings].sort(
    (one, other) =>
      Number(one.legal) - Number(other.legal) ||
      SEVERITY[one.severity] - SEVERITY[other.severity] ||
      rank(one) - rank(other) ||
      other.count - one.count ||
      one.partition - other.partition,
  );
