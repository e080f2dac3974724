// What has to hold, by name, and which anomalies break it: the cases of the JUnit report and the check list of the others.
import type { Finding } from '../ledger/judgement.ts';
import type { Anomaly } from '../vocabulary.ts';

export interface Invariant {
  readonly name: string;
  readonly anomalies: readonly Anomaly[];
}

const INVARIANTS: readonly Invariant[] = [
  {
    name: 'no acknowledged record is lost',
    anomalies: ['lost-write', 'lost-tail', 'lost-prefix', 'log-reset', 'divergent-route', 'stale-read'],
  },
  {
    name: 'an offset holds one record, the one acknowledged there',
    anomalies: ['inconsistent-offset', 'duplicate-ack-offset', 'ack-offset-mismatch'],
  },
  { name: 'no record is stored twice', anomalies: ['duplicate', 'duplicate-client'] },
  {
    name: 'records come back as they were sent, and no others',
    anomalies: ['corrupt-value', 'phantom', 'wrong-partition', 'failed-visible'],
  },
  { name: 'order is kept', anomalies: ['nonmonotonic-send', 'realtime-order', 'nonmonotonic-poll'] },
  {
    name: 'the log only goes forward, without holes',
    anomalies: ['hwm-regression', 'leader-epoch-regression', 'offset-gap', 'out-of-range-reset'],
  },
];

export interface CheckedInvariant {
  readonly name: string;
  /** What breaks it, worst first; empty where it held as far as was looked. */
  readonly violations: readonly Finding[];
}

const NAMED: ReadonlySet<Anomaly> = new Set(INVARIANTS.flatMap(({ anomalies }) => anomalies));

/** Each invariant with the illegal violations that break it; what belongs to none has a case of its own, so none is left out. */
export const checkedInvariants = (findings: readonly Finding[]): readonly CheckedInvariant[] => {
  const violations = findings.filter(({ legal, severity }) => !legal && severity === 'violation');
  return [
    ...INVARIANTS.map(({ name, anomalies }) => ({
      name,
      violations: violations.filter(({ anomaly }) => anomalies.includes(anomaly)),
    })),
    { name: 'nothing else breaks the contract', violations: violations.filter(({ anomaly }) => !NAMED.has(anomaly)) },
  ];
};
