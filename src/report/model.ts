// What every report format is made from, and what `report.json` holds: one run, already judged, in the order in which a
// reader asks. Nothing here is decided by a report; verdict, bounds and exit code are copied from the run directory.
//
// Times named `at`, `from` and `to` are milliseconds since the start of the part they belong to; `wall` fields are ISO 8601.
import type { Contract } from '../ledger/history-lines.ts';
import type {
  BoundResult,
  BoundsState,
  Examined,
  Finding,
  Outage,
  PartitionAvailability,
} from '../ledger/judgement.ts';
import type { OwnershipGate } from '../ledger/ownership.ts';
import type { FaultSummary, PartRecord, PassSummary, RunRecord } from '../ledger/run-record.ts';
import type { StorageGate } from '../ledger/storage-gates.ts';
import type { EvidenceState, Verdict } from '../vocabulary.ts';

export { EVIDENCE_STATES, type EvidenceState } from '../vocabulary.ts';

export const REPORT_FORMAT = 1;

/** `error`: no verdict was reached. */
export type Standing = Verdict | 'error';

export interface Outcome {
  readonly verdict: Standing;
  /** The reason for the verdict. */
  readonly because: string;
  readonly bounds?: BoundsState;
  readonly heal: RunRecord['heal'];
  readonly ended: RunRecord['ended'];
  /** As the run itself ended; absent when it never got that far. */
  readonly exitCode?: number;
  /** The root cause first; empty unless the run broke. */
  readonly errors: readonly string[];
}

/** One sample of a fault's evidence. */
export interface EvidenceMark {
  readonly at: number;
  readonly kind: 'mechanism' | 'effect' | 'control';
  readonly holds: boolean;
  readonly seen: string;
}

export interface FaultReport extends FaultSummary {
  /** When it began to act; a fault that is applied step by step is `applied` only after its last step. */
  readonly intentAt?: number;
  /** Of each kind of evidence the first sample that held, or the last that did not. */
  readonly marks: readonly EvidenceMark[];
}

export interface LoadBucket {
  /** Records acknowledged, unknown and definitely failed whose outcome fell into this bucket. */
  readonly acked: number;
  readonly unknown: number;
  readonly failed: number;
  /** From send to acknowledgement; absent where nothing was acknowledged. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** The load over time, in at most 400 buckets of equal width. */
export interface LoadSeries {
  readonly from: number;
  readonly bucketMs: number;
  readonly buckets: readonly LoadBucket[];
}

/** An outage of one partition, told apart by the two probe lanes; the three shares add up to `ms`. */
export interface OutageReport extends Outage {
  readonly topic: string;
  readonly partition: number;
  /** Absent where no probe lane ran on the partition. */
  readonly shares?: { readonly brokersMs: number; readonly pathMs: number; readonly clientMs: number };
}

export interface LeaderChange {
  readonly at: number;
  readonly topic: string;
  readonly partition: number;
  /** Negative: nobody. */
  readonly leader: number;
  readonly epoch: number;
}

/** Something that the cluster told of itself. */
export interface ClusterChange {
  readonly at: number;
  /** Who told it: `fenced`, `quorum`, `log-dirs/1`, or the node whose log it is in. */
  readonly source: string;
  /** The watch, or the log pattern. */
  readonly what: string;
  readonly text: string;
  /** Of a line in a log: the file below the run directory, the byte it begins at, and the time it says itself. */
  readonly place?: { readonly file: string; readonly position: number; readonly loggedAt?: string };
}

export interface PassReport extends PassSummary {
  readonly from?: number;
  readonly to?: number;
}

/** What the store was asked and kept while the part went on, as it counted itself. */
export interface StorageUsage {
  /** Of the cluster, not of ackproof itself; by operation and status, the load before the replay. */
  readonly requests: readonly {
    readonly stage: 'load' | 'replay';
    readonly path: 'data' | 'wal';
    readonly operation: string;
    readonly status: number;
    readonly requests: number;
    readonly requestBytes: number;
    readonly responseBytes: number;
  }[];
  /** After the replay. */
  readonly keptBytes?: number;
  /** What that has grown by since the part began. */
  readonly grownBytes?: number;
  /** Only where there is a price file. */
  readonly cost?: StorageCost;
}

/** What the reader pays; nothing of it is a default of ackproof's. */
export interface Prices {
  readonly currency: string;
  readonly per1000Requests: Readonly<Record<string, number>>;
  readonly perGiB: { readonly toStore: number; readonly fromStore: number };
  readonly perGiBMonth?: number;
}

/** Counted amounts times the reader's prices; never an estimate of what another design would cost. */
export interface StorageCost {
  readonly currency: string;
  readonly lines: readonly {
    readonly what: string;
    readonly amount: string;
    readonly price: string;
    /** What is kept costs something each month; everything else the run has cost. */
    readonly per: 'run' | 'month';
    readonly cost: number;
  }[];
  /** Of the run, without what is kept. */
  readonly total: number;
  /** Operations that were counted and have no price. */
  readonly unpriced: readonly string[];
}

export interface PartReport {
  readonly part: PartRecord['part'];
  /** The real name; elsewhere topics of this run are shown by the scenario's own name. */
  readonly topic: string;
  readonly partitions: number;
  readonly verdict?: Verdict;
  readonly because?: string;
  readonly inconclusiveBecause: readonly string[];
  readonly examined?: Examined;
  /** Worst first. */
  readonly findings: readonly Finding[];
  readonly bounds: readonly BoundResult[];
  readonly availability: readonly PartitionAvailability[];
  readonly phases: PartRecord['phases'];
  readonly faults: readonly FaultReport[];
  readonly outages: readonly OutageReport[];
  readonly leaders: readonly LeaderChange[];
  readonly changes: readonly ClusterChange[];
  /** Absent where the part was not judged, or by an older version. */
  readonly ownership?: OwnershipGate;
  /** The gates on storage; absent where the run looked at no store, or was judged by an older version. */
  readonly gates?: readonly StorageGate[];
  /** Absent where the store counted nothing for it. */
  readonly usage?: StorageUsage;
  readonly passes: readonly PassReport[];
  /** Absent where there is no ledger, or nothing in it. */
  readonly load?: LoadSeries;
}

/** One source of evidence at a boundary, and what it gave or why it did not. */
export interface EvidenceSource {
  readonly source: string;
  readonly state: EvidenceState;
  readonly detail: string;
}

/** One of the six places at which evidence can be had, and what this run holds of it. */
export interface BoundaryEvidence {
  readonly boundary: string;
  readonly question: string;
  /** That of the source that says most. */
  readonly state: EvidenceState;
  readonly sources: readonly EvidenceSource[];
}

export interface ReportModel {
  /** The verdict and the reason for it: the first line of every format. */
  readonly headline: string;
  readonly formatVersion: typeof REPORT_FORMAT;
  readonly tool: RunRecord['tool'];
  readonly judgeVersion?: string;
  readonly runId: string;
  readonly scenario: RunRecord['scenario'];
  readonly target: RunRecord['target'];
  readonly contract: Contract;
  readonly workload: RunRecord['workload'];
  readonly defects: readonly string[];
  readonly baseline: boolean;
  readonly seed: number;
  readonly environment: RunRecord['environment'];
  readonly wallStart: string;
  readonly wallEnd?: string;
  readonly outcome: Outcome;
  /** In the order they ran; the fault run, `main`, last. */
  readonly parts: readonly PartReport[];
  /** What this run shows, and what it leaves open, in sentences. */
  readonly proves: readonly string[];
  readonly leavesOpen: readonly string[];
  /** How much acknowledged data was lost, in a sentence. */
  readonly recoveryPoint: string;
  /** How long the load was away, in a sentence. */
  readonly recoveryTime: string;
  readonly boundaries: readonly BoundaryEvidence[];
  readonly reproduce: RunRecord['reproduce'];
}

/** The part a reader means by "the run": the fault run, or the last one that was reached. */
export const mainPart = ({ parts }: ReportModel): PartReport | undefined => parts.at(-1);

/** A renderer: the whole report as text. It decides nothing. */
export type Reporter = (model: ReportModel, options: RenderOptions) => string;

export interface RenderOptions {
  /** Escape sequences are allowed (terminal only). */
  readonly colour?: boolean;
  /** Columns (terminal only). */
  readonly width?: number;
  /** With them the report has the product of what was counted and them. */
  readonly prices?: Prices;
}
