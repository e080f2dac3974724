// The words of ackproof, once: the same in code, YAML, reports and documents. Types and name lists only, no behaviour.

declare const brand: unique symbol;
/** A number or string that only its own maker may call by this name. */
export type Branded<T, B extends string> = T & { readonly [brand]: B };

/** A log offset: a safe integer, converted once where it enters (client or wire) and asserted there. */
export type Offset = Branded<number, 'Offset'>;
/** A broker's id as Kafka's protocol knows it. */
export type BrokerId = Branded<number, 'BrokerId'>;

/** A TCP endpoint. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export type Phase =
  | 'preflight'
  | 'control'
  | 'warm-up'
  | 'steady'
  | 'fault'
  | 'recovery'
  | 'settle'
  | 'replay'
  | 'judge'
  | 'report';

export const OUTCOMES = ['ok', 'fail', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const VERDICTS = ['pass', 'fail', 'inconclusive'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const SEVERITIES = ['violation', 'degradation', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const FAULT_EDGES = [
  'intent',
  'applied',
  'confirmed',
  'unconfirmed',
  'healing',
  'healed',
  'heal-failed',
] as const;
export type FaultEdge = (typeof FAULT_EDGES)[number];

export const BOUNDARIES = ['leader', 'replicated', 'wal', 'object'] as const;
export type Boundary = (typeof BOUNDARIES)[number];

export const SURVIVALS = ['all-brokers-down', 'broker-loss', 'node-loss'] as const;
export type Survival = (typeof SURVIVALS)[number];

/** How a broker that is new, or new again, comes to be of use, in order. */
export const CAPACITY_STEPS = [
  'provisioned',
  'registered',
  'assigned',
  'in-sync',
  'first-request',
  'first-cold-fetch',
  'full-share',
] as const;
export type CapacityStep = (typeof CAPACITY_STEPS)[number];

/** What a record's acknowledgement setting may be. */
export type Acks = 'all' | 1 | 0;

/** Every anomaly a judgement can name. Classes 22, 26–31 and 35 of the catalogue come with later workloads. */
export const ANOMALIES = [
  'ack-offset-mismatch',
  'client-anomaly',
  'clock-jump',
  'corrupt-value',
  'divergent-route',
  'duplicate',
  'duplicate-ack-offset',
  'duplicate-client',
  'failed-visible',
  'fault-not-effective',
  'hwm-regression',
  'inconsistent-offset',
  'insufficient-samples',
  'leader-epoch-regression',
  'ledger-damaged',
  'log-reset',
  'lost-prefix',
  'lost-tail',
  'lost-write',
  'no-progress',
  'nonmonotonic-poll',
  'nonmonotonic-send',
  'offset-gap',
  'out-of-range-reset',
  'phantom',
  'realtime-order',
  'recovered',
  'sequence-gap',
  'stale-read',
  'stuck-consumer',
  'unavailability',
  'unknown-absent',
  'unseen',
  'wrong-partition',
] as const;
export type Anomaly = (typeof ANOMALIES)[number];

/** The faults of this release; docs/reference.md has a line for each. */
export const FAULTS = [
  'all-brokers-kill',
  'bandwidth-limit',
  'broker-degrade',
  'broker-join',
  'client-partition',
  'command',
  'connection-reset',
  'cpu-throttle',
  'crash-loop',
  'disk-full',
  'disk-read-only',
  'graceful-stop',
  'leader-election',
  'memory-pressure',
  'network-latency',
  'network-partition',
  'node-isolate',
  'node-loss',
  'object-loss',
  'object-store-corrupt',
  'object-store-denied',
  'object-store-error',
  'object-store-late-commit',
  'object-store-latency',
  'object-store-lost-response',
  'object-store-outage',
  'object-store-slow-body',
  'object-store-throttle',
  'object-store-truncate',
  'oom-kill',
  'packet-corrupt',
  'packet-duplicate',
  'packet-loss',
  'packet-reorder',
  'partition-reassignment',
  'process-kill',
  'process-pause',
  'request-loss',
  'response-loss',
  'rolling-restart',
  'wal-io-error',
  'wal-io-latency',
  'wal-io-stall',
  'wal-outage',
] as const;
export type FaultName = (typeof FAULTS)[number];

/** Where the embedded cluster has its write-ahead log: objects, a block volume of each broker, or files of a shared directory. */
export const WAL_KINDS = ['block', 'nfs', 's3'] as const;
export type WalKind = (typeof WAL_KINDS)[number];

/** Named bugs the embedded brokers can be started with; each weakens one step. */
export const DEFECTS = [
  'ack-before-wal',
  'ack-offset-low',
  'attach-without-fencing',
  'cold-read-wrong-range',
  'corrupt-upload',
  'forget-producer-state',
  'fsync-skipped',
  'index-before-object',
  'lose-wal-tail',
  'no-fencing',
  'reorder-batches',
  'reuse-offset',
  'skip-missing-object',
  'stale-high-watermark',
  'stale-nfs-handle',
  'store-retry-twice',
  'torn-tail-accepted',
  'trim-before-commit',
] as const;
export type DefectName = (typeof DEFECTS)[number];

/** Defects that weaken a step which not every kind of write-ahead log has, and the kinds that have it; all others fit every kind. */
export const DEFECT_WALS: Readonly<Partial<Record<DefectName, readonly WalKind[]>>> = {
  'attach-without-fencing': ['block'],
  'fsync-skipped': ['block', 'nfs'],
  'no-fencing': ['s3'],
  'stale-nfs-handle': ['nfs'],
  'torn-tail-accepted': ['block', 'nfs'],
  'trim-before-commit': ['nfs', 's3'],
};

/** When a ListOffsets snapshot was taken. */
export const SNAPSHOT_MOMENTS = ['baseline', 'before-fault', 'after-heal', 'after-producers', 'after-replay'] as const;
export type SnapshotMoment = (typeof SNAPSHOT_MOMENTS)[number];

/** Producers of the probe lanes, which tell the brokers', the path's and the client's share of an outage apart. */
export const PROBE_PRODUCERS = ['probe-direct', 'probe-proxied'] as const;

/** How a replay pass over one range ended. */
export const PASS_ENDS = ['complete', 'range', 'timeout', 'out-of-range'] as const;
export type PassEnd = (typeof PASS_ENDS)[number];

/**
 * `observed`: the source answered and showed what was looked for. `not observed`: it answered over the whole part, and it did not
 * appear. `not collected`: there is such a source, and it was not configured, not permitted, or failed. `not provided`: this target
 * has none.
 */
export const EVIDENCE_STATES = ['observed', 'not observed', 'not collected', 'not provided'] as const;
export type EvidenceState = (typeof EVIDENCE_STATES)[number];

/** What a record has to name of the storage under test, so that a reader knows what was tested. */
export const STORAGE_ITEMS = ['wal', 'service', 'identity', 'encryption', 'route', 'shared-fate'] as const;
export type StorageItem = (typeof STORAGE_ITEMS)[number];

/** The gates on storage, beside the verdict. */
export const STORAGE_GATES = ['storage', 'cost', 'cold-replay'] as const;
export type StorageGateName = (typeof STORAGE_GATES)[number];
