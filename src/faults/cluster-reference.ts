// A cluster as an undo record names it: enough for another process to reach it, and to see that it is the same one.
import type { StartedTarget } from '../targets/target.ts';
import type { ClusterReference } from './fault.ts';
import type { ClusterView } from './probes/cluster-metadata.ts';

/** What another process needs to take back what was done to the cluster that gave this view. */
export const clusterReference = (
  { evidenceBootstrap, can }: Pick<StartedTarget, 'evidenceBootstrap' | 'can'>,
  view: Pick<ClusterView, 'clusterId'>,
): ClusterReference => {
  const { security, clusterId = view.clusterId } = can.administration ?? {};
  return {
    bootstrap: evidenceBootstrap,
    ...(clusterId !== undefined && { clusterId }),
    ...(security !== undefined && { security }),
  };
};
