// The order in which a reader wants to know: what is gone, what is wrong, what is out of order.
import type { Anomaly } from '../vocabulary.ts';

const WORST_FIRST: readonly Anomaly[] = [
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
  'realtime-order',
  'nonmonotonic-send',
  'hwm-regression',
  'leader-epoch-regression',
  'nonmonotonic-poll',
];

/** The place of an anomaly in that order, 0 the worst; all that it does not name come last, alike. */
export const anomalyWeight = (anomaly: Anomaly): number => {
  const index = WORST_FIRST.indexOf(anomaly);
  return index === -1 ? WORST_FIRST.length : index;
};
