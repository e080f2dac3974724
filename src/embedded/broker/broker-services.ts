// What the request handlers of a broker share.
import type { Clock } from '../../clock.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { ProgramLog } from '../program-log.ts';
import type { AppendFailures } from './append-failures.ts';
import type { ControllerLink } from './controller-link.ts';
import type { GroupCoordinator } from './groups/group-coordinator.ts';
import type { OwnedPartitions } from './owned-partitions.ts';
import type { ProducerIds } from './producer-ids.ts';
import type { ReadCounters } from './read-counters.ts';

export interface BrokerServices {
  readonly brokerId: number;
  readonly clock: Clock;
  readonly log: ProgramLog;
  /** The newest view of the cluster. */
  readonly view: () => ClusterView;
  readonly controller: Pick<ControllerLink, 'createTopic' | 'deleteTopic'>;
  readonly partitions: OwnedPartitions;
  readonly groups: GroupCoordinator;
  readonly producerIds: ProducerIds;
  readonly reads: ReadCounters;
  readonly failures: AppendFailures;
  /** True once a graceful stop has begun: nothing new is accepted. */
  readonly isStopping: () => boolean;
}
