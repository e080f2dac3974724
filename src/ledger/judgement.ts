// What the judge says. `verdict`, `because`, `findings` and `examined` are the judgement of docs/history.md; the rest is what
// only a run directory knows. A judgement never depends on a cluster, on a report format, or on when it is made.
import type { ErrorKind } from '../errors.ts';
import type { Anomaly, Severity, Verdict } from '../vocabulary.ts';
import type { OwnershipGate } from './ownership.ts';
import type { StorageGate } from './storage-gates.ts';

/** One record named as an example; `offset` is the acknowledged or seen one, where there is one. */
export interface Example {
  readonly producer?: string;
  readonly incarnation?: number;
  readonly seq?: number;
  readonly offset?: number;
  /** Milliseconds since the start of the run at which the record was acknowledged. */
  readonly ackedAt?: number;
  readonly detail?: string;
}

/** Consecutive offsets (both ends included) that share a finding. */
export interface OffsetRange {
  readonly first: number;
  readonly last: number;
}

export interface Finding {
  readonly anomaly: Anomaly;
  readonly legal: boolean;
  /** The clause that made it legal or illegal, in words. */
  readonly rule: string;
  readonly severity: Severity;
  readonly topic: string;
  readonly partition: number;
  readonly count: number;
  /** At most 32, first and last kept; the one that was acknowledged before all others comes first. */
  readonly examples: readonly Example[];
  /** Ranges of offsets the finding covers, at most 32; `count` is the whole number. */
  readonly ranges: readonly OffsetRange[];
  /** Up to five records on either side of the first example, as the first pass showed them. */
  readonly neighbours?: readonly { readonly offset: number; readonly what: string }[];
  /** Ids of the faults whose window the first affected acknowledgement falls into, or that followed it. */
  readonly duringFaults?: readonly string[];
  /** "acked 0.4 s before process-kill" and the like. */
  readonly when?: string;
}

export interface Examined {
  readonly sent: number;
  readonly ok: number;
  readonly fail: number;
  readonly unknown: number;
  readonly read: number;
  readonly passes: number;
  readonly partitions: number;
}

/** The judgement of one history. */
export interface Judgement {
  readonly verdict: Verdict;
  /** One sentence: the reason for the verdict, with numbers. */
  readonly because: string;
  /** One per (anomaly, topic, partition, legal), sorted by topic, partition, anomaly. */
  readonly findings: readonly Finding[];
  readonly examined: Examined;
  /** Every reason for which the run proves less than it should; empty for a pass. */
  readonly inconclusiveBecause: readonly string[];
  /** Beside the verdict, never part of it; absent in what an older version judged. */
  readonly ownership?: OwnershipGate;
  readonly judgeVersion: string;
}

/** A time without service of one partition that a fault is to answer for; ms, `from` and `to` since the start of the run. */
export interface Outage {
  readonly faultId: string;
  readonly from: number;
  /** Absent: it never recovered. */
  readonly to?: number;
  /** From the last acknowledgement before to the first of the recovery. */
  readonly ms?: number;
  /** From when recovery could begin: the fault's heal where it took the service away by design, else its start. Bounds count this. */
  readonly recoveredAfterMs?: number;
  /** From the fault's start, whatever it was. */
  readonly afterAppliedMs?: number;
  /** From its heal; 0 where the partition was back before, absent where it was not healed. */
  readonly afterHealedMs?: number;
  /** How much of `recoveredAfterMs` ackproof itself stood still; absent = none that was noticed. */
  readonly stoodStillMs?: number;
}

/** Availability of one partition, from the ledger alone. Milliseconds since the start of the run. */
export interface PartitionAvailability {
  readonly topic: string;
  readonly partition: number;
  readonly acked: number;
  /** The longest interval without an acknowledgement between the first send and the last planned send. */
  readonly longestGapMs: number;
  readonly longestGapFrom: number;
  /** Set where nothing was attempted in that interval, which lasts to the end of the load: it is no measurement. */
  readonly longestGapUnattempted?: true;
  /** How much of that interval ackproof itself stood still; absent = none that was noticed. */
  readonly longestGapStoodStillMs?: number;
  /** One per fault: last ack before, first of ≥ 5 acks within 2 s after; absent when it never recovered. */
  readonly outages: readonly Outage[];
  /** Faults after which nothing was attempted any more before the partition was seen served: no outage, and no recovery. */
  readonly notAttempted?: readonly { readonly faultId: string; readonly from: number }[];
}

export type BoundsState = 'met' | 'missed' | 'no-samples';

/** A liveness bound and what was measured against it. */
export interface BoundResult {
  readonly name: 'recoverWithin' | 'longestGap';
  readonly limitMs: number;
  readonly measuredMs?: number;
  readonly state: BoundsState;
  readonly where: string;
}

/** The whole result of a run: verdict, bounds, heal and end are fields that never mix. */
export interface RunResult {
  readonly formatVersion: 1;
  readonly judgement: Judgement;
  readonly bounds: BoundsState;
  readonly boundResults: readonly BoundResult[];
  readonly availability: readonly PartitionAvailability[];
  /** Beside the verdict, never part of it; absent where the run looked at no object store. */
  readonly gates?: readonly StorageGate[];
  readonly heal: 'clean' | 'failed';
  readonly ended: 'complete' | 'interrupted' | 'error';
  /** What kept the recorded run from a result of its own, where something did. */
  readonly trouble?: ErrorKind;
}
