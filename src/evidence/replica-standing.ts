// Which replicas of each partition may still be elected without loss (ELR), which of those were only the last known ones, and which
// are offline, as the cluster's metadata has it.
import type { PartitionEvidence } from '../wire/partition-evidence.ts';
import { type ClusterFact, idList, ToldBefore } from './cluster-fact.ts';

const setText = (ids: readonly number[] | undefined): string => (ids === undefined ? 'not kept' : idList(ids));

/** Tells the sets of a partition when they change. */
export class ReplicaStanding {
  readonly #told = new ToldBefore();

  news(partitions: readonly PartitionEvidence[]): readonly ClusterFact[] {
    return partitions.flatMap((row) => {
      const { partition, inSync, eligible, lastKnownEligible, offline, leaderEpoch } = row;
      const sorted = (ids: readonly number[]): readonly number[] => [...ids].sort((one, other) => one - other);
      const data = {
        partition,
        inSync: sorted(inSync),
        offline: sorted(offline),
        ...(eligible === undefined ? {} : { eligible: sorted(eligible) }),
        ...(lastKnownEligible === undefined ? {} : { lastKnownEligible: sorted(lastKnownEligible) }),
      };
      if (!this.#told.isNews(String(partition), data)) return [];
      const text =
        `partition ${partition}: in sync ${idList(data.inSync)}; eligible ${setText(data.eligible)}; ` +
        `last known eligible ${setText(data.lastKnownEligible)}; offline ${idList(data.offline)}`;
      return [{ source: 'elr', text, data: { ...data, epoch: leaderEpoch } }];
    });
  }
}
