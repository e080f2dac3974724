// The order in which findings are shown: what breaks the contract before what it allows, what is gone before what is out of
// order, many before few.
import { anomalyWeight } from '../ledger/anomaly-weight.ts';
import type { Finding } from '../ledger/judgement.ts';

const SEVERITY = { violation: 0, degradation: 1, note: 2 } as const;

/** A sorted copy. */
export const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  [...findings].sort(
    (one, other) =>
      Number(one.legal) - Number(other.legal) ||
      SEVERITY[one.severity] - SEVERITY[other.severity] ||
      anomalyWeight(one.anomaly) - anomalyWeight(other.anomaly) ||
      other.count - one.count ||
      one.partition - other.partition,
  );
