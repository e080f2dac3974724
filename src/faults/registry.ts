// All faults, sorted by name. One line here is all that a new fault needs besides its own file.
import { allBrokersKill } from './all-brokers-kill.ts';
import { bandwidthLimit } from './bandwidth-limit.ts';
import { brokerDegrade } from './broker-degrade.ts';
import { clientPartition } from './client-partition.ts';
import { connectionReset } from './connection-reset.ts';
import { crashLoop } from './crash-loop.ts';
import type { FaultDefinition } from './fault.ts';
import { gracefulStop } from './graceful-stop.ts';
import { leaderElection } from './leader-election.ts';
import { networkLatency } from './network-latency.ts';
import { networkPartition } from './network-partition.ts';
import { nodeLoss } from './node-loss.ts';
import { objectLoss } from './object-loss.ts';
import { objectStoreLatency } from './object-store-latency.ts';
import { objectStoreOutage } from './object-store-outage.ts';
import { partitionReassignment } from './partition-reassignment.ts';
import { processKill } from './process-kill.ts';
import { processPause } from './process-pause.ts';
import { requestLoss } from './request-loss.ts';
import { responseLoss } from './response-loss.ts';
import { rollingRestart } from './rolling-restart.ts';
import { walOutage } from './wal-outage.ts';

export const FAULT_REGISTRY = [
  allBrokersKill,
  bandwidthLimit,
  brokerDegrade,
  clientPartition,
  connectionReset,
  crashLoop,
  gracefulStop,
  leaderElection,
  networkLatency,
  networkPartition,
  nodeLoss,
  objectLoss,
  objectStoreLatency,
  objectStoreOutage,
  partitionReassignment,
  processKill,
  processPause,
  requestLoss,
  responseLoss,
  rollingRestart,
  walOutage,
] as const satisfies readonly FaultDefinition[];
