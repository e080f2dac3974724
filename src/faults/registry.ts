// All faults, sorted by name. One line here is all that a new fault needs besides its own file.
import { allBrokersKill } from './all-brokers-kill.ts';
import { bandwidthLimit } from './bandwidth-limit.ts';
import { brokerDegrade } from './broker-degrade.ts';
import { brokerJoin } from './broker-join.ts';
import { clientPartition } from './client-partition.ts';
import { command } from './command.ts';
import { connectionReset } from './connection-reset.ts';
import { cpuThrottle } from './cpu-throttle.ts';
import { crashLoop } from './crash-loop.ts';
import { diskFull } from './disk-full.ts';
import { diskReadOnly } from './disk-read-only.ts';
import type { FaultDefinition } from './fault.ts';
import { gracefulStop } from './graceful-stop.ts';
import { leaderElection } from './leader-election.ts';
import { memoryPressure } from './memory-pressure.ts';
import { networkLatency } from './network-latency.ts';
import { networkPartition } from './network-partition.ts';
import { nodeIsolate } from './node-isolate.ts';
import { nodeLoss } from './node-loss.ts';
import { objectLoss } from './object-loss.ts';
import { objectStoreCorrupt } from './object-store-corrupt.ts';
import { objectStoreDenied } from './object-store-denied.ts';
import { objectStoreError } from './object-store-error.ts';
import { objectStoreLateCommit } from './object-store-late-commit.ts';
import { objectStoreLatency } from './object-store-latency.ts';
import { objectStoreLostResponse } from './object-store-lost-response.ts';
import { objectStoreOutage } from './object-store-outage.ts';
import { objectStoreSlowBody } from './object-store-slow-body.ts';
import { objectStoreThrottle } from './object-store-throttle.ts';
import { objectStoreTruncate } from './object-store-truncate.ts';
import { oomKill } from './oom-kill.ts';
import { packetCorrupt } from './packet-corrupt.ts';
import { packetDuplicate } from './packet-duplicate.ts';
import { packetLoss } from './packet-loss.ts';
import { packetReorder } from './packet-reorder.ts';
import { partitionReassignment } from './partition-reassignment.ts';
import { processKill } from './process-kill.ts';
import { processPause } from './process-pause.ts';
import { requestLoss } from './request-loss.ts';
import { responseLoss } from './response-loss.ts';
import { rollingRestart } from './rolling-restart.ts';
import { walIoError } from './wal-io-error.ts';
import { walIoLatency } from './wal-io-latency.ts';
import { walIoStall } from './wal-io-stall.ts';
import { walOutage } from './wal-outage.ts';

export const FAULT_REGISTRY = [
  allBrokersKill,
  bandwidthLimit,
  brokerDegrade,
  brokerJoin,
  clientPartition,
  command,
  connectionReset,
  cpuThrottle,
  crashLoop,
  diskFull,
  diskReadOnly,
  gracefulStop,
  leaderElection,
  memoryPressure,
  networkLatency,
  networkPartition,
  nodeIsolate,
  nodeLoss,
  objectLoss,
  objectStoreCorrupt,
  objectStoreDenied,
  objectStoreError,
  objectStoreLateCommit,
  objectStoreLatency,
  objectStoreLostResponse,
  objectStoreOutage,
  objectStoreSlowBody,
  objectStoreThrottle,
  objectStoreTruncate,
  oomKill,
  packetCorrupt,
  packetDuplicate,
  packetLoss,
  packetReorder,
  partitionReassignment,
  processKill,
  processPause,
  requestLoss,
  responseLoss,
  rollingRestart,
  walIoError,
  walIoLatency,
  walIoStall,
  walOutage,
] as const satisfies readonly FaultDefinition[];
