// Rule 16: from the findings and what the run itself says about its own worth to one word.
import type { Verdict } from '../../src/vocabulary.ts';
import type { Finding } from './finding.ts';
import type { FaultLine, History, Partition } from './history.ts';
import type { Instance } from './instance.ts';
import { baselineOf, credibleRanges } from './log-facts.ts';

/**
 * "a fault (by `id`) without a `confirmed` edge (or `applied`, where `require` says so), or with an `unconfirmed` (not with
 * `require: mechanism`) or `heal-failed` edge after the first such edge"
 */
const isUnproven = (edges: readonly FaultLine[]): boolean => {
  const mechanismOnly = edges.some((edge) => edge.mechanismOnly);
  const first = edges.findIndex(({ edge }) => edge === 'confirmed' || (mechanismOnly && edge === 'applied'));
  if (first === -1) return true;
  return edges
    .slice(first + 1)
    .some(({ edge }) => edge === 'heal-failed' || (edge === 'unconfirmed' && !mechanismOnly));
};

const hasUnprovenFault = (history: History): boolean => {
  const ids = new Set(history.faults.map((edge) => edge.id));
  return [...ids].some((id) => isUnproven(history.faults.filter((edge) => edge.id === id)));
};

const hasOkRecord = (log: Partition): boolean => log.sent.some((record) => record.outcome === 'ok');

/**
 * "a partition with an `ok` record that has no credibly complete pass, or no `baseline` snapshot while its topic has any
 * snapshot"
 */
const isPartitionUnproven = (history: History, log: Partition): boolean => {
  if (!hasOkRecord(log)) return false;
  const hasTopicSnapshots = history.partitions.some((other) => other.topic === log.topic && other.snapshots.length > 0);
  return credibleRanges(log).length === 0 || (hasTopicSnapshots && baselineOf(log) === undefined);
};

/** Rule 16. `instances` are what the findings were added up from: an allowance lifts no doubt. */
export const verdictOf = (history: History, instances: readonly Instance[], findings: readonly Finding[]): Verdict => {
  if (findings.some((finding) => !finding.legal && finding.severity === 'violation')) return 'fail';
  const isInconclusive =
    instances.some((found) => found.anomaly === 'unseen' || found.doubtful) ||
    hasUnprovenFault(history) ||
    history.harnessLines > 0 ||
    !history.partitions.some(hasOkRecord) ||
    history.partitions.some((log) => isPartitionUnproven(history, log));
  return isInconclusive ? 'inconclusive' : 'pass';
};
