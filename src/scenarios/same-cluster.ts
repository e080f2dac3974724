// The cluster of a run is one and the same from its beginning to its judgement, also where addresses are somebody else's to move.
import { EnvironmentError } from '../errors.ts';
import type { ClusterEye } from './cluster-eye.ts';

interface KnownCluster {
  /** Absent where others do not use it, or where it tells none. */
  readonly clusterId?: string | undefined;
  readonly eye: Pick<ClusterEye, 'clusterId'>;
}

/** What another cluster says at the same addresses is about other records (exit 69); one that does not answer is no other. */
export const assertSameCluster = async ({ clusterId, eye }: KnownCluster): Promise<void> => {
  if (clusterId === undefined) return;
  const now = await eye.clusterId().catch(() => undefined);
  if (now === undefined || now === clusterId) return;
  throw new EnvironmentError(
    'CLUSTER_CHANGED',
    `The cluster that answers is now ${now}, and the run began on ${clusterId}, so nothing can be said of its records.`,
    { hint: 'See where the addresses in the target file lead to, and run again.' },
  );
};
