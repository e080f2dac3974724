// A scenario as the run uses it: every default filled in, every unit a number, every name checked.
import type { FaultSpec } from '../faults/fault-schema.ts';
import type { Contract } from '../ledger/history-lines.ts';

export const REPLAY_PASSES = ['cold', 'full'] as const;
export type ReplayPassName = (typeof REPLAY_PASSES)[number];

export interface TopicWorkload {
  /** The alias used in the scenario; each part of a run makes a topic of its own for it. The topic's own name where it exists. */
  readonly name: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly config: Readonly<Record<string, string>>;
  /** A topic that others use too: it is neither made nor deleted, and only what this run wrote into it is judged. */
  readonly existing?: boolean;
}

export interface Workload {
  readonly topic: TopicWorkload;
  /** Lanes for each partition. */
  readonly producers: number;
  /** Records per second over all lanes, or as fast as each lane is answered. */
  readonly ratePerSecond: number | 'max';
  readonly client: string;
  readonly retry: 'none' | 'same-batch';
  /** Each call of the client goes to two partitions at once, with the client's own retries. */
  readonly splitSend: boolean;
  readonly attemptTimeoutMs: number;
  readonly record: { readonly sizeBytes: number; readonly batch: number };
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface Scenario {
  readonly name: string;
  readonly claim: string;
  readonly target: string;
  readonly contract: Contract;
  readonly workload: Workload;
  readonly faults: readonly FaultSpec[];
  readonly replay: {
    readonly passes: readonly ReplayPassName[];
    readonly client: string;
    readonly suspectsAfterMs: number;
  };
  readonly bounds: { readonly recoverWithinMs?: number; readonly longestGapMs?: number };
  readonly control: boolean;
  readonly baseline: boolean;
  readonly seed?: number;
}
