// What a run tells while it goes on, as typed values. The run itself prints nothing; whoever listens decides what a person
// sees. Every value is complete in itself, so that a listener may miss some.
import type { RunResult } from '../ledger/judgement.ts';
import type { FaultEdge, Phase } from '../vocabulary.ts';

export type PartName = 'preflight' | 'control' | 'main';

/** The load as it stands, about four times a second. */
export interface LoadProgress {
  readonly acked: number;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  readonly ackedPerSecond: number;
  /** The partition that has waited longest for an acknowledgement, and for how long. */
  readonly oldest: { readonly partition: number; readonly ms: number } | undefined;
}

export type RunProgress =
  | {
      readonly kind: 'started';
      readonly scenario: string;
      readonly seed: number;
      readonly runDirectory: string;
      readonly target: string;
      readonly defects: readonly string[];
      /** Whether no fault is meant to act. */
      readonly baseline: boolean;
    }
  | { readonly kind: 'phase'; readonly part: PartName; readonly phase: Phase; readonly plannedMs: number | undefined }
  | { readonly kind: 'load'; readonly part: PartName; readonly load: LoadProgress }
  | {
      readonly kind: 'fault';
      readonly id: string;
      readonly fault: string;
      readonly edge: FaultEdge;
      readonly victims: readonly string[];
      readonly detail: string;
    }
  | {
      readonly kind: 'evidence';
      readonly id: string;
      readonly mechanism: boolean;
      readonly effect: boolean;
      readonly control: boolean;
    }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'part-judged'; readonly part: PartName; readonly result: RunResult }
  | { readonly kind: 'finished'; readonly result: RunResult; readonly runDirectory: string };

export type RunListener = (event: RunProgress) => void;
