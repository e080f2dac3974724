// Rule 15 and the shape of a finding: instances of one kind, place and legality, added up.
import type { Anomaly, Severity } from '../../src/vocabulary.ts';
import type { Contract } from './history.ts';
import type { Instance } from './instance.ts';

export interface Finding {
  readonly anomaly: Anomaly;
  readonly legal: boolean;
  readonly severity: Severity;
  readonly topic: string;
  readonly partition: number;
  readonly count: number;
}

/**
 * Rule 15: "`allow` makes its anomaly legal under all circumstances …; it outranks `forbid` …. `forbid` makes its anomaly
 * illegal, with severity `violation`, whatever the other rules say."
 */
const isLegalUnder = (contract: Contract, found: Instance): boolean => {
  if (contract.allow.includes(found.anomaly)) return true;
  return contract.forbid.includes(found.anomaly) ? false : found.legal;
};

/**
 * "`degradation`: unseen, offset-gap, duplicate-client. `note`: recovered, unknown-absent, and duplicate and
 * nonmonotonic-send when legal. Everything else `violation`, legal or not."
 */
const severityOf = (contract: Contract, anomaly: Anomaly, legal: boolean): Severity => {
  if (contract.forbid.includes(anomaly) && !contract.allow.includes(anomaly)) return 'violation';
  if (['unseen', 'offset-gap', 'duplicate-client'].includes(anomaly)) return 'degradation';
  if (['recovered', 'unknown-absent'].includes(anomaly)) return 'note';
  return legal && ['duplicate', 'nonmonotonic-send'].includes(anomaly) ? 'note' : 'violation';
};

const compareText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);

/** "One finding per (anomaly, topic, partition, legal), sorted by topic, partition, anomaly." */
export const findingsOf = (contract: Contract, instances: readonly Instance[]): Finding[] => {
  const findings = new Map<string, Finding>();
  for (const found of instances) {
    const { anomaly, topic, partition } = found;
    const legal = isLegalUnder(contract, found);
    const name = JSON.stringify([topic, partition, anomaly, legal]);
    const count = (findings.get(name)?.count ?? 0) + found.count;
    findings.set(name, {
      anomaly,
      legal,
      severity: severityOf(contract, anomaly, legal),
      topic,
      partition,
      count,
    });
  }
  return [...findings.values()].sort(
    (one, two) =>
      compareText(one.topic, two.topic) ||
      one.partition - two.partition ||
      compareText(one.anomaly, two.anomaly) ||
      Number(one.legal) - Number(two.legal),
  );
};
