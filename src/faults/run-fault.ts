// Drives one fault through its life: prepare, intent (durable), apply, confirm, hold, heal, see it healed. Whatever goes wrong
// or whoever aborts, a fault that may have been applied is healed. The runner learns everything through edges and samples;
// nothing here knows what a result is.
import type { Clock } from '../clock.ts';
import { isoTime } from '../clock.ts';
import { describeError, InternalError } from '../errors.ts';
import type { FaultEdge } from '../vocabulary.ts';
import { awaitHealed } from './await-healed.ts';
import { withDeadline } from './deadline.ts';
import { EvidenceTracker, type EvidenceWindow } from './evidence-tracker.ts';
import type { EvidenceSample, FaultContext, FaultDefinition, JournalEdge, PreparedFault } from './fault.ts';
import type { FaultSpec } from './fault-schema.ts';
import type { Journal } from './journal.ts';
import { startSampling } from './sampling.ts';
import type { WatchdogPing } from './watchdog.ts';

const PREPARE_DEADLINE_MS = 20_000;
/** How long an aborted `apply` may take to give up before healing begins all the same. */
const APPLY_GIVES_UP_MS = 2000;
/** What the watchdog waits beyond the planned end and the time for healing, so that it never fires first in a good run. */
const EXPIRY_MARGIN_MS = 30_000;

export interface TimedSample extends EvidenceSample {
  /** Milliseconds since the start of the run. */
  readonly at: number;
}

export interface FaultRun {
  /** Unique in the run: `process-kill-1`. */
  readonly id: string;
  readonly definition: FaultDefinition;
  readonly spec: FaultSpec;
  readonly context: FaultContext;
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
}

/** The life of one fault; one instance lives once. */
class FaultLife {
  readonly #run: FaultRun;
  readonly #tracker: EvidenceTracker;
  #prepared: PreparedFault | undefined;
  #recent: TimedSample[] = [];
  #appliedAt: number | undefined;
  #reason: string | undefined;
  #trouble: Error | undefined;
  #settled: 'confirmed' | 'unconfirmed' | undefined;
  #wake: (() => void) | undefined;

  constructor(run: FaultRun) {
    this.#run = run;
    this.#tracker = new EvidenceTracker(run.spec.confirm.require);
  }

  async live(): Promise<FaultOutcome> {
    const prepared = await this.#prepare();
    if (prepared === undefined) return this.#outcome('nothing-to-heal');
    await this.#run.watchdog?.ping();
    await this.#write('intent', { undo: prepared.undo, expires: this.#expiry() });
    await this.#inject(prepared);
    const outcome = prepared.undo.steps.length === 0 ? this.#outcome('nothing-to-heal') : await this.#heal(prepared);
    if (this.#trouble !== undefined) throw this.#trouble;
    return outcome;
  }

  close(): void {
    this.#prepared?.close?.();
  }

  #now(): number {
    return this.#run.clock.now() - this.#run.originMs;
  }

  #expiry(): number {
    const { clock, spec } = this.#run;
    const planned = this.#prepared?.longestMs ?? 0;
    return (
      clock.wall() + (spec.durationMs ?? planned) + spec.confirm.timeoutMs + spec.heal.timeoutMs + EXPIRY_MARGIN_MS
    );
  }

  /** After the intent nothing may stand between a fault and its healing, so trouble with writing is kept for the end. */
  async #edge(edge: FaultEdge, more: Partial<JournalEdge> = {}): Promise<void> {
    try {
      await this.#write(edge, more);
    } catch (thrown) {
      this.#trouble ??= thrown instanceof Error ? thrown : new InternalError('FAULT_EDGE', describeError(thrown));
    }
  }

  async #write(edge: FaultEdge, more: Partial<JournalEdge>): Promise<void> {
    const { id, definition, journal, clock, onEdge } = this.#run;
    const { victims = [], brokers = [] } = this.#prepared ?? {};
    const at = this.#now();
    const line: JournalEdge = {
      at,
      wall: isoTime(clock.wall()),
      id,
      fault: definition.kind,
      edge,
      by: 'run',
      victims,
      brokers,
      ...more,
    };
    await journal.append(line);
    onEdge?.(line);
  }

  /** Nothing is changed here, so a failure leaves nothing to heal; it is told as an unconfirmed fault. */
  async #prepare(): Promise<PreparedFault | undefined> {
    const { definition, spec, context, clock, signal } = this.#run;
    const what = `the preparation of ${definition.kind}`;
    try {
      this.#prepared = await withDeadline(
        { clock, ms: PREPARE_DEADLINE_MS, what, signal },
        async (own) => await definition.prepare(context, spec.victim, spec.params, own),
      );
      return this.#prepared;
    } catch (thrown) {
      await this.#settle('unconfirmed', `not injected: ${describeError(thrown)}`);
      return undefined;
    }
  }

  /** Applies, confirms and holds; returns when it is time to heal, for whatever reason. */
  async #inject(prepared: PreparedFault): Promise<void> {
    const { clock, spec } = this.#run;
    const sampling = startSampling(clock, prepared, (samples) => this.#take(samples));
    try {
      const applied = await this.#apply(prepared);
      if (!applied) return;
      await this.#awaitConfirmation();
      if (this.#settled === undefined) await this.#settle('unconfirmed', this.#whyNot());
      await this.#hold(spec.durationMs);
    } finally {
      await sampling.stop();
    }
  }

  #whyNot(): string {
    const { progress, missing } = this.#tracker;
    if (progress.state === 'ended') return progress.reason;
    return this.#run.signal.aborted ? `aborted before it was confirmed (${missing})` : missing;
  }

  async #apply(prepared: PreparedFault): Promise<boolean> {
    const { clock, signal } = this.#run;
    const applying = prepared.apply(signal);
    const aborted = new Promise<'aborted'>((resolve) => {
      const giveUp = (): void => {
        void clock.sleep(APPLY_GIVES_UP_MS).then(() => resolve('aborted'));
      };
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
    try {
      const answer = await Promise.race([applying, aborted]);
      if (answer === 'aborted') {
        await this.#settle('unconfirmed', 'aborted while it was being applied');
        return false;
      }
      this.#appliedAt = this.#now();
      await this.#edge('applied', { reason: answer.answer });
      return true;
    } catch (thrown) {
      const why = signal.aborted ? 'aborted' : `not applied: ${describeError(thrown)}`;
      await this.#settle('unconfirmed', why);
      return false;
    }
  }

  #take(samples: readonly EvidenceSample[]): void {
    const at = this.#now();
    const timed = samples.map((sample) => ({ at, ...sample }));
    for (const sample of timed) this.#run.onEvidence?.(sample);
    this.#recent = [...timed];
    // What was seen while `apply` was still at work is no window yet.
    if (this.#appliedAt === undefined) return;
    this.#tracker.add(at, samples);
    this.#wake?.();
  }

  /** Sleeps until `untilMs` of the run's time, the next round, or the abort. */
  async #sleepUntil(untilMs: number): Promise<void> {
    const { clock, signal } = this.#run;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await clock
      .sleep(Math.max(0, untilMs - this.#now()), AbortSignal.any([signal, woken.signal]))
      .catch(() => undefined);
    this.#wake = undefined;
  }

  #plannedEnd(): number {
    const { durationMs } = this.#run.spec;
    return (this.#appliedAt ?? 0) + (durationMs ?? Infinity);
  }

  async #awaitConfirmation(): Promise<void> {
    const { signal, spec } = this.#run;
    const until = Math.min((this.#appliedAt ?? 0) + spec.confirm.timeoutMs, this.#plannedEnd());
    const isOpen = (): boolean => this.#tracker.progress.state === 'unknown';
    while (!signal.aborted && this.#now() < until && isOpen()) await this.#sleepUntil(until);
    if (this.#tracker.progress.state === 'confirmed') await this.#settle('confirmed');
  }

  /** Watches until the planned end; a fault without a duration has ended already. */
  async #hold(durationMs: number | undefined): Promise<void> {
    if (durationMs === undefined) return;
    const until = this.#plannedEnd();
    while (!this.#run.signal.aborted && this.#now() < until) {
      await this.#sleepUntil(until);
      const { progress } = this.#tracker;
      if (progress.state === 'ended' && this.#reason === undefined) await this.#settle('unconfirmed', progress.reason);
    }
  }

  async #settle(edge: 'confirmed' | 'unconfirmed', reason?: string): Promise<void> {
    this.#settled = edge;
    this.#reason = reason;
    await this.#edge(edge, { evidence: this.#recent, ...(reason === undefined ? {} : { reason }) });
  }

  async #heal(prepared: PreparedFault): Promise<FaultOutcome> {
    const { clock, spec } = this.#run;
    await this.#edge('healing');
    const deadline = clock.now() + spec.heal.timeoutMs;
    try {
      const what = `the healing of ${this.#run.id}`;
      await withDeadline({ clock, ms: spec.heal.timeoutMs, what }, async (signal) => await prepared.heal(signal));
      const onRound = (samples: readonly EvidenceSample[]): void => {
        const at = this.#now();
        this.#recent = samples.map((sample) => ({ at, ...sample }));
        for (const sample of this.#recent) this.#run.onEvidence?.(sample);
      };
      await awaitHealed({ clock, deadlineMs: deadline, what: this.#run.id, fault: prepared, onRound });
    } catch (thrown) {
      this.#reason = describeError(thrown);
      await this.#edge('heal-failed', { reason: this.#reason, evidence: this.#recent });
      return this.#outcome('heal-failed');
    }
    const healedAt = this.#now();
    await this.#edge('healed', { evidence: this.#recent });
    return this.#outcome('healed', healedAt);
  }

  #isProved(): boolean {
    if (this.#appliedAt === undefined || !this.#tracker.isMet) return false;
    return this.#settled === 'confirmed' || this.#run.spec.confirm.require === 'mechanism';
  }

  #outcome(healed: FaultOutcome['healed'], healedAt?: number): FaultOutcome {
    const { window } = this.#tracker;
    return {
      id: this.#run.id,
      confirmed: this.#isProved(),
      healed,
      victims: this.#prepared?.victims ?? [],
      chosen: this.#prepared?.chosen ?? 'nobody',
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      ...(this.#appliedAt === undefined ? {} : { appliedAt: this.#appliedAt }),
      ...(healedAt === undefined ? {} : { healedAt }),
      ...(window === undefined ? {} : { window }),
    };
  }
}

/**
 * Runs one fault to its end. Trouble with the fault itself is told in the outcome and by edges.
 * @throws EnvironmentError when the watchdog or the journal does not answer; whatever was applied has been healed by then.
 */
export const runFault = async (run: FaultRun): Promise<FaultOutcome> => {
  if (run.definition.kind !== run.spec.fault) {
    throw new InternalError('FAULT_MISMATCH', `${run.spec.fault} was about to be run as ${run.definition.kind}.`);
  }
  const life = new FaultLife(run);
  try {
    return await life.live();
  } finally {
    life.close();
  }
};
