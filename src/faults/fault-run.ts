// What is handed to the life of one fault, and what comes out of it.
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import type { EvidenceWindow } from './evidence-tracker.ts';
import type {
  CapacityTimes,
  DestroyedObject,
  EvidenceSample,
  FaultContext,
  FaultDefinition,
  JournalEdge,
} from './fault.ts';
import type { FaultSpec } from './fault-schema.ts';
import type { Journal } from './journal.ts';
import type { Strikes } from './strikes.ts';
import type { WatchdogPing } from './watchdog.ts';

export interface TimedSample extends EvidenceSample {
  /** Milliseconds since the start of the run. */
  readonly at: number;
}

/** What a fault has to know that is prepared while others act, which may change whom it is about. */
export interface AmidOthers {
  /** When it is to act, ms since the start of the run: from then on, whoever is chosen is meant. */
  readonly plannedAt: number;
  /** Why these brokers are not whom it means of a partition any more, in words; undefined where they are, and where nobody knows. */
  whyNotMeant(brokers: readonly number[]): string | undefined;
}

export interface FaultRun {
  /** Unique in the run: `process-kill-1`. */
  readonly id: string;
  readonly definition: FaultDefinition;
  readonly spec: FaultSpec;
  readonly context: Omit<FaultContext, 'random'>;
  /** The random stream of this fault, from its beginning each time: whom it chooses does not hang on how often it is prepared. */
  readonly random: () => Random;
  /** Given where it is to be prepared while others act. */
  readonly amid?: AmidOthers;
  /** Shared by the faults that may overlap; without one a fault knows of no other. */
  readonly strikes?: Strikes;
  /** How long another of these faults may last at most, ms: so much longer may the healing take, while one of them acts. */
  readonly othersMs?: number;
  readonly journal: Journal;
  /** Asked before anything is changed; without one (a library's own risk) nobody cleans up after a SIGKILL. */
  readonly watchdog?: WatchdogPing;
  readonly clock: Clock;
  /** `clock.now()` at the start of the run. */
  readonly originMs: number;
  /** Aborting ends the fault at once; it is still healed. */
  readonly signal: AbortSignal;
  readonly onEdge?: (edge: JournalEdge) => void;
  readonly onEvidence?: (sample: TimedSample) => void;
  /** Waits until it is nearly time; asked when all is prepared, before the intent is written. False where it shall not act at all. */
  readonly nearly?: () => Promise<boolean>;
  /**
   * Waits until the run is ready for a fault on these brokers; asked when the intent is durable, right before it acts. What may be
   * slow is done by then, so that it acts at its moment. Says why it must not act, in words; undefined where it may.
   */
  readonly ready?: (brokers: readonly number[]) => Promise<string | undefined>;
  /** What the run still wants to see of its load while the fault lasts, in words; undefined once it has seen enough. */
  readonly awaited?: () => string | undefined;
}

export interface FaultOutcome {
  readonly id: string;
  /** Whether what the scenario requires was shown, and lasted. */
  readonly confirmed: boolean;
  /** Why not, or why it could not be healed. */
  readonly reason?: string;
  /** `nothing-to-heal` where nothing was applied or what was done cannot be undone. */
  readonly healed: 'healed' | 'heal-failed' | 'nothing-to-heal';
  readonly victims: JournalEdge['victims'];
  readonly chosen: string;
  /** Milliseconds since the start of the run. */
  readonly appliedAt?: number;
  readonly healedAt?: number;
  readonly window?: EvidenceWindow;
  /** What was destroyed for good, where the fault was applied. */
  readonly destroyed?: readonly DestroyedObject[];
  /** Of each broker that was made anew. */
  readonly capacities?: readonly CapacityTimes[];
}
