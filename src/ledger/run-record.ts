// run.json: what a run says about itself besides what the ledger holds. Written three times, at the start, after the history
// is complete, and after the judgement, so that a run that died can still be read. Times in `at` fields are milliseconds
// since the start of the part they belong to; `wall` fields are ISO 8601 in UTC.
import type { ErrorKind } from '../errors.ts';
import type { CapacityStep, Verdict } from '../vocabulary.ts';
import type { Contract } from './history-lines.ts';
import type { RunResult } from './judgement.ts';

export const RUN_RECORD_FORMAT = 1;

export interface FaultSummary {
  readonly id: string;
  readonly fault: string;
  /** Node ids, `broker/1`. */
  readonly victims: readonly string[];
  /** How the victims were chosen, in words. */
  readonly chosen: string;
  /** The last edge of its journal. */
  readonly state: string;
  readonly appliedAt?: number;
  /** When it was to begin. Its act takes its time, too: `appliedAt` says when the first change was made. */
  readonly plannedAt?: number;
  /** Only where it began to act more than 250 ms later. */
  readonly lateMs?: number;
  /** What it waited for, in words. */
  readonly lateBecause?: string;
  readonly confirmedAt?: number;
  readonly healingAt?: number;
  readonly healedAt?: number;
  readonly require: 'mechanism' | 'all';
  /** Whether what the scenario requires was shown, and lasted; whether it could be healed is `state`. */
  readonly confirmed: boolean;
  /** Why it is not confirmed or, with the state `heal-failed`, not healed, in words. */
  readonly reason?: string;
  /** The sample that proved each part, by letter. */
  readonly evidence: readonly {
    readonly kind: 'mechanism' | 'effect' | 'control';
    readonly holds: boolean;
    readonly seen: string;
  }[];
  /** Of each broker that was made anew: how long it took to be of use, from `trigger` on. */
  readonly capacities?: readonly {
    readonly node: string;
    readonly trigger: string;
    /** That it was to lead. */
    readonly partitions: number;
    /** Those that were seen, in order. */
    readonly steps: readonly { readonly step: CapacityStep; readonly afterMs: number }[];
    readonly copiedBytes?: number;
  }[];
  /** Acknowledgements and attempts inside the window. */
  readonly ackedInWindow?: number;
  readonly attemptedInWindow?: number;
  /**
   * Age of the youngest acknowledgement of each victim partition when the fault was meant, ms, and the id of the other fault, if
   * any, that had stopped them by then.
   */
  readonly exposure: readonly {
    readonly partition: number;
    readonly lastAckAgeMs?: number;
    readonly silencedBy?: string;
  }[];
}

export interface PassSummary {
  readonly pass: string;
  readonly client: string;
  readonly records: number;
  readonly ms: number;
  /** For a `cold` pass: bytes by the place they came from, and offsets proved to come from objects. */
  readonly sources?: { readonly objectBytes: number; readonly walBytes: number; readonly cacheBytes: number };
  readonly coldOffsets?: number;
  readonly uncoveredOffsets?: number;
}

export interface PartRecord {
  readonly part: 'preflight' | 'control' | 'main';
  /** Relative to the run directory: `.`, `control`, `preflight`. */
  readonly directory: string;
  readonly topic: string;
  readonly partitions: number;
  readonly phases: readonly { readonly phase: string; readonly from: number; readonly to?: number }[];
  readonly faults: readonly FaultSummary[];
  readonly passes: readonly PassSummary[];
  readonly result?: RunResult;
}

export interface RunRecord {
  readonly formatVersion: typeof RUN_RECORD_FORMAT;
  readonly tool: { readonly name: 'ackproof'; readonly version: string };
  readonly runId: string;
  readonly scenario: { readonly name: string; readonly claim: string; readonly file: string; readonly digest: string };
  readonly target: {
    readonly kind: string;
    readonly name: string;
    readonly fingerprint: Readonly<Record<string, string>>;
  };
  readonly contract: Contract;
  /** Liveness bounds of the main part, ms. */
  readonly bounds: { readonly recoverWithinMs?: number; readonly longestGapMs?: number };
  /** One line for each setting of the workload, ready to print. */
  readonly workload: Readonly<Record<string, string>>;
  readonly defects: readonly string[];
  readonly baseline: boolean;
  readonly seed: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly wallStart: string;
  readonly wallEnd?: string;
  readonly parts: readonly PartRecord[];
  readonly ended: 'running' | 'complete' | 'interrupted' | 'error';
  /** Set when `ended` is `error`, the root cause first; else what went wrong after the verdict, which stands. */
  readonly errors: readonly string[];
  /** Whose trouble the first of `errors` is; set where the run came to no result. */
  readonly trouble?: ErrorKind;
  readonly heal: 'clean' | 'failed';
  readonly verdict?: Verdict;
  /** The first line of every report. */
  readonly because?: string;
  readonly exitCode?: number;
  readonly reproduce: { readonly run: string; readonly judge: string };
}
