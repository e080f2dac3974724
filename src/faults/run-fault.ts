// Drives one fault through its life: prepare, intent (durable), apply, confirm, hold, heal, see it healed. Whatever goes wrong
// or whoever aborts, a fault that may have been applied is healed. The runner learns everything through edges and samples;
// nothing here knows what a result is.
import { isoTime } from '../clock.ts';
import { describeError, InternalError } from '../errors.ts';
import type { FaultEdge } from '../vocabulary.ts';
import { EvidenceTracker } from './evidence-tracker.ts';
import type { EvidenceSample, FaultContext, JournalEdge, JournalLine, PreparedFault, UndoStep } from './fault.ts';
import type { FaultOutcome, FaultRun, TimedSample } from './fault-run.ts';
import { confirmMsOf, healMsOf, longestLifeMs } from './fault-times.ts';
import { applyOrGiveUp } from './give-up.ts';
import { HealTime } from './heal-time.ts';
import { MadeBeforehand } from './made-beforehand.ts';
import { PREPARE_DEADLINE_MS, prepare, prepareAmidOthers } from './preparation.ts';
import { putBack } from './put-back.ts';
import { startSampling } from './sampling.ts';
import { whyNoLongerChosen } from './still-chosen.ts';

/** The same without what is not known. */
const known = <T extends object>(facts: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

/** The life of one fault; one instance lives once. */
class FaultLife {
  readonly #run: FaultRun;
  readonly #tracker: EvidenceTracker;
  readonly #made: MadeBeforehand;
  #prepared: PreparedFault | undefined;
  #recent: TimedSample[] = [];
  /** When the first change was made. */
  #appliedAt: number | undefined;
  /** When all of them were made; what is seen of a fault counts from here. */
  #completeAt: number | undefined;
  #reason: string | undefined;
  /** What was missing at the planned end, so that it lasts longer. */
  #heldFor: string | undefined;
  #trouble: Error | undefined;
  #settled: 'confirmed' | 'unconfirmed' | undefined;
  #wake: (() => void) | undefined;

  constructor(run: FaultRun) {
    this.#run = run;
    this.#tracker = new EvidenceTracker(run.spec.confirm.require);
    this.#made = new MadeBeforehand(run.definition.kind, run.context.target, async (undo) => {
      await run.journal.append(this.#line('preparing', { undo, expires: this.#expiry() + PREPARE_DEADLINE_MS }));
    });
  }

  async live(): Promise<FaultOutcome> {
    const prepared = await this.#prepare();
    if (prepared === undefined) return await this.#discard();
    if ((await this.#run.nearly?.()) === false) {
      await this.#settle('unconfirmed', 'not injected: aborted before its moment');
      return await this.#discard();
    }
    try {
      await this.#run.watchdog?.ping();
      await this.#intend(prepared);
    } catch (thrown) {
      await this.#discard();
      throw thrown;
    }
    await this.#inject(prepared);
    const { steps } = this.#made.with(prepared.undo);
    const outcome = steps.length === 0 ? this.#outcome('nothing-to-heal') : await this.#heal(prepared);
    if (this.#trouble !== undefined) throw this.#trouble;
    return outcome;
  }

  close(): void {
    this.#run.strikes?.end(this.#run.id);
    this.#prepared?.close?.();
  }

  /** With its random stream from the beginning. */
  #context(): FaultContext {
    const { strikes, id, spec, context, random, othersMs = 0 } = this.#run;
    const makes = async (undo: UndoStep): Promise<void> => await this.#made.add(undo);
    const lifeMs = longestLifeMs(spec, undefined) + othersMs;
    const own: FaultContext = { ...context, random: random(), faultId: id, lifeMs, allow: spec.allow, makes };
    return strikes === undefined ? own : { ...own, struckByOthers: (sinceMs) => strikes.byOthers(id, sinceMs) };
  }

  #now(): number {
    return this.#run.clock.now() - this.#run.originMs;
  }

  #expiry(): number {
    const { clock, spec, othersMs = 0 } = this.#run;
    return clock.wall() + longestLifeMs(spec, this.#prepared) + othersMs;
  }

  /** After the intent nothing may stand between a fault and its healing, so trouble with writing is kept for the end. */
  async #edge(edge: FaultEdge, more: Partial<JournalEdge> = {}): Promise<void> {
    const line = this.#line(edge, more);
    const keep = (thrown: unknown): void => {
      this.#trouble ??= thrown instanceof Error ? thrown : new InternalError('FAULT_EDGE', describeError(thrown));
    };
    await this.#run.journal.append(line).catch(keep);
    // What happened has happened, whether the journal could keep it or not.
    try {
      this.#run.onEdge?.(line);
    } catch (thrown) {
      keep(thrown);
    }
  }

  /** Nothing has happened yet: where the journal cannot keep it, nothing will. */
  async #intend(prepared: PreparedFault): Promise<void> {
    const line = this.#line('intent', { undo: this.#made.with(prepared.undo), expires: this.#expiry() });
    this.#run.strikes?.begin(this.#run.id, [...prepared.victims, ...(prepared.alongside ?? [])]);
    await this.#run.journal.append(line);
    this.#run.onEdge?.(line);
  }

  #line<E extends JournalLine['edge']>(edge: E, more: Partial<JournalEdge>): JournalLine & { readonly edge: E } {
    const { id, definition, clock } = this.#run;
    const { victims = [], brokers = [] } = this.#prepared ?? {};
    const at = this.#now();
    return { at, wall: isoTime(clock.wall()), id, fault: definition.kind, by: 'run', victims, brokers, ...more, edge };
  }

  /** Nothing is changed here but what `makes` was told of; a failure is told as an unconfirmed fault. */
  async #prepare(): Promise<PreparedFault | undefined> {
    const preparation = { run: this.#run, made: this.#made, contextNow: () => this.#context() };
    try {
      this.#prepared = (await prepareAmidOthers(preparation)) ?? (await prepare(preparation));
      return this.#prepared;
    } catch (thrown) {
      await this.#settle('unconfirmed', `not injected: ${describeError(thrown)}`);
      return undefined;
    }
  }

  /** Ends a fault that never came to its intent: what was made for it goes, and nothing else was changed. */
  async #discard(): Promise<FaultOutcome> {
    if (this.#made.isNothing) return this.#outcome('nothing-to-heal');
    const { clock, spec, journal } = this.#run;
    try {
      await this.#made.remove(clock, spec.heal.timeoutMs);
      await journal.append(this.#line('discarded', {}));
      return this.#outcome('nothing-to-heal');
    } catch (thrown) {
      return await this.#healFailed(thrown);
    }
  }

  /** Applies, confirms and holds; returns when it is time to heal, for whatever reason. */
  async #inject(prepared: PreparedFault): Promise<void> {
    const { clock } = this.#run;
    if (!(await this.#isReady(prepared))) return;
    const sampling = startSampling(clock, prepared, (samples) => this.#take(samples));
    try {
      const applied = await this.#apply(prepared);
      if (!applied) return;
      await this.#awaitConfirmation();
      if (this.#settled === undefined) await this.#settle('unconfirmed', this.#whyNot());
      await this.#hold();
    } finally {
      await sampling.stop();
    }
  }

  /** False where it must not act: whatever the run waited for, it has been aborted meanwhile, or cannot tell. */
  async #isReady(prepared: PreparedFault): Promise<boolean> {
    const { ready, signal } = this.#run;
    try {
      const whyNot = (await ready?.(prepared.brokers)) ?? (await this.#whyNoLongerChosen(prepared));
      if (whyNot === undefined && !signal.aborted) return true;
      await this.#settle(
        'unconfirmed',
        whyNot === undefined ? 'aborted before it was applied' : `not applied: ${whyNot}`,
      );
    } catch (thrown) {
      this.#trouble ??= thrown instanceof Error ? thrown : new InternalError('FAULT_READY', describeError(thrown));
      await this.#settle('unconfirmed', `not applied: ${describeError(thrown)}`);
    }
    return false;
  }

  /** A run watches who leads its partitions while there is load, and looks at nobody else: that is asked here. */
  async #whyNoLongerChosen(prepared: PreparedFault): Promise<string | undefined> {
    const { spec, signal } = this.#run;
    const isWatched = 'partition' in spec.victim && spec.at.kind !== 'pass';
    return isWatched ? undefined : await whyNoLongerChosen(this.#context(), spec.victim, prepared, signal);
  }

  #whyNot(): string {
    const { progress, missing } = this.#tracker;
    if (progress.state === 'ended') return progress.reason;
    return this.#run.signal.aborted ? `aborted before it was confirmed (${missing})` : missing;
  }

  async #apply(prepared: PreparedFault): Promise<boolean> {
    const { clock, signal } = this.#run;
    let written: Promise<void> | undefined;
    const begun = (answer: string): void => {
      if (written !== undefined || this.#settled !== undefined) return;
      this.#appliedAt = this.#now();
      written = this.#edge('applied', { reason: answer });
    };
    try {
      const answer = await applyOrGiveUp(clock, prepared, signal, begun);
      if (answer === 'aborted') {
        await this.#settle('unconfirmed', 'aborted while it was being applied');
        return false;
      }
      begun(answer.answer);
      this.#completeAt = this.#now();
      await written;
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
    if (this.#completeAt === undefined) return;
    this.#tracker.add(at, samples);
    this.#wake?.();
  }

  /** Sleeps until `untilMs` of the run's time, the next round, or the abort. */
  async #sleepUntil(untilMs: number): Promise<void> {
    const { clock, signal, awaited } = this.#run;
    if (this.#now() >= this.#plannedEnd()) {
      this.#heldFor ??= this.#tracker.progress.state === 'confirmed' ? awaited?.() : this.#tracker.missing;
    }
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await clock
      .sleep(Math.max(0, untilMs - this.#now()), AbortSignal.any([signal, woken.signal]))
      .catch(() => undefined);
    this.#wake = undefined;
  }

  #plannedEnd(): number {
    const { durationMs } = this.#run.spec;
    return (this.#completeAt ?? 0) + (durationMs ?? Infinity);
  }

  /** The last moment until which it is held for what is still missing. */
  #latestEnd(): number {
    return (this.#completeAt ?? 0) + confirmMsOf(this.#run.spec, this.#prepared);
  }

  async #awaitConfirmation(): Promise<void> {
    const { signal } = this.#run;
    const until = this.#latestEnd();
    while (!signal.aborted && this.#now() < until && this.#tracker.progress.state === 'unknown') {
      const plannedEnd = this.#plannedEnd();
      const hasPassed = this.#now() >= plannedEnd;
      // Where the mechanism is enough, nothing more is worth a longer fault.
      if (hasPassed && this.#tracker.isMet) break;
      await this.#sleepUntil(hasPassed ? until : Math.min(until, plannedEnd));
    }
    if (this.#tracker.progress.state === 'confirmed') await this.#settle('confirmed');
  }

  /** Watches until the planned end, and on while the run still waits for something; one without a duration has ended already. */
  async #hold(): Promise<void> {
    if (this.#run.spec.durationMs === undefined) return;
    while (!this.#run.signal.aborted && (this.#now() < this.#plannedEnd() || this.#isAwaited())) {
      const plannedEnd = this.#plannedEnd();
      await this.#sleepUntil(this.#now() < plannedEnd ? plannedEnd : this.#latestEnd());
      const { progress } = this.#tracker;
      if (progress.state === 'ended' && this.#reason === undefined) await this.#settle('unconfirmed', progress.reason);
    }
  }

  /** Whether a fault that still acts shall go on doing so. */
  #isAwaited(): boolean {
    if (this.#tracker.progress.state === 'ended' || this.#now() >= this.#latestEnd()) return false;
    return this.#run.awaited?.() !== undefined;
  }

  async #settle(edge: 'confirmed' | 'unconfirmed', reason?: string): Promise<void> {
    this.#settled = edge;
    this.#reason = reason;
    await this.#edge(edge, { evidence: this.#recent, ...(reason === undefined ? {} : { reason }) });
  }

  #whyLate(): { readonly reason?: string } {
    if (this.#heldFor === undefined) return {};
    const lateMs = Math.round(this.#now() - this.#plannedEnd());
    return { reason: `held ${lateMs} ms beyond its planned end: ${this.#heldFor}` };
  }

  async #heal(prepared: PreparedFault): Promise<FaultOutcome> {
    const { clock, id, strikes } = this.#run;
    await this.#edge('healing', this.#whyLate());
    const onRound = (samples: readonly EvidenceSample[]): void => {
      const at = this.#now();
      this.#recent = samples.map((sample) => ({ at, ...sample }));
      for (const sample of this.#recent) this.#run.onEvidence?.(sample);
    };
    const time = this.#healTime(prepared);
    const onPutBack = (): void => strikes?.putBack(id);
    let slower: string | undefined;
    try {
      slower = await putBack({ clock, id, time, prepared, made: this.#made, onPutBack, onRound });
    } catch (thrown) {
      return await this.#healFailed(thrown);
    }
    const healedAt = this.#now();
    await this.#edge('healed', { evidence: this.#recent, ...(slower === undefined ? {} : { reason: slower }) });
    return this.#outcome('healed', healedAt);
  }

  #healTime(prepared: PreparedFault): HealTime {
    const { clock, spec, id, strikes, othersMs = 0 } = this.#run;
    const othersUntil = (): number => strikes?.othersUntil(id) ?? Number.NEGATIVE_INFINITY;
    return new HealTime({ clock, allowedMs: healMsOf(spec, prepared), othersMs, othersUntil });
  }

  async #healFailed(thrown: unknown): Promise<FaultOutcome> {
    this.#reason = describeError(thrown);
    await this.#edge('heal-failed', { reason: this.#reason, evidence: this.#recent });
    return this.#outcome('heal-failed');
  }

  #isProved(): boolean {
    if (this.#completeAt === undefined || !this.#tracker.isMet) return false;
    return this.#settled === 'confirmed' || this.#run.spec.confirm.require === 'mechanism';
  }

  /** What is missing of a fault that did what the scenario requires of it is no reason. */
  #whyTold(healed: FaultOutcome['healed']): string | undefined {
    if (healed === 'heal-failed') return this.#reason;
    if (this.#isProved()) return undefined;
    const { progress } = this.#tracker;
    return progress.state === 'ended' ? progress.reason : this.#reason;
  }

  #outcome(healed: FaultOutcome['healed'], healedAt?: number): FaultOutcome {
    const { window } = this.#tracker;
    const reason = this.#whyTold(healed);
    const destroyed = this.#appliedAt === undefined ? undefined : this.#prepared?.destroys;
    const told = this.#prepared?.capacities?.() ?? [];
    const capacities = told.length === 0 ? undefined : told;
    return {
      id: this.#run.id,
      confirmed: this.#isProved(),
      healed,
      victims: this.#prepared?.victims ?? [],
      chosen: this.#prepared?.chosen ?? 'nobody',
      ...known({ reason, appliedAt: this.#appliedAt, healedAt, window, destroyed, capacities }),
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
