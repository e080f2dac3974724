// The contract of runs that tests make up: acks=all on the embedded cluster, nothing allowed and nothing forbidden.
import type { RunRecord } from '../../src/ledger/run-record.ts';

export const EXAMPLE_CONTRACT: RunRecord['contract'] = {
  acks: 'all',
  idempotence: false,
  transactions: false,
  minInSyncReplicas: 2,
  boundary: 'wal',
  deliveryTimeoutMs: 30_000,
  uncleanLeaderElection: false,
  uniqueKeys: true,
  deleteRecords: false,
  laggingReads: false,
  survives: [],
  profile: 'embedded',
  allow: [],
  forbid: [],
};
