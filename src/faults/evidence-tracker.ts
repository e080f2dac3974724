// Decides from the samples alone whether a fault was confirmed, whether it held until its planned end, and over which window.
// Argument: confirmed needs one round in which mechanism, effect and control all hold. Afterwards a kind counts as gone only
// after several rounds in a row, because one slow answer on a busy machine is no proof that a fault ended.
import type { EvidenceSample } from './fault.ts';

export type EvidenceKind = EvidenceSample['kind'];
export type Requirement = 'all' | 'mechanism';

const KINDS: readonly EvidenceKind[] = ['mechanism', 'effect', 'control'];

/**
 * Rounds in a row without a kind after which it is gone. The mechanism is read back from where it acts; what canaries see depends
 * on how busy the machine is, too, and a broken control is only there to catch scope.
 */
const MISSES: Readonly<Record<EvidenceKind, number>> = { mechanism: 2, effect: 4, control: 4 };

export interface EvidenceWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export type Progress =
  | { readonly state: 'unknown' }
  | { readonly state: 'confirmed' }
  /**
   * What was there has gone before its time; `reason` begins with `ended-early` or `scope`. Or what is required can never be
   * seen any more; it then begins with what that is.
   */
  | { readonly state: 'ended'; readonly reason: string };

const kindHolds = (samples: readonly EvidenceSample[], kind: EvidenceKind): boolean => {
  const mine = samples.filter((sample) => sample.kind === kind);
  return mine.length > 0 && mine.every((sample) => sample.holds);
};

const seenOf = (samples: readonly EvidenceSample[], kind: EvidenceKind): string => {
  const mine = samples.filter((sample) => sample.kind === kind);
  const telling = mine.filter((sample) => !sample.holds);
  return mine.length === 0 ? 'not sampled' : telling.map((sample) => sample.seen).join('; ');
};

/** Why a kind counts as gone; a control that holds is gone where another kind was not looked at. */
const whyGone = (samples: readonly EvidenceSample[], kind: EvidenceKind): string => {
  if (!kindHolds(samples, kind)) return seenOf(samples, kind);
  const blind = KINDS.filter((each) => !samples.some((sample) => sample.kind === each));
  return `${blind.join(', ')} was not sampled`;
};

export class EvidenceTracker {
  readonly #require: Requirement;
  readonly #misses: Record<EvidenceKind, number> = { mechanism: 0, effect: 0, control: 0 };
  #last: readonly EvidenceSample[] = [];
  #window: EvidenceWindow | undefined;
  #mechanismSeen = false;
  #ended: string | undefined;

  constructor(require: Requirement) {
    this.#require = require;
  }

  /** From the first to the last round in which everything held. */
  get window(): EvidenceWindow | undefined {
    return this.#window;
  }

  get progress(): Progress {
    if (this.#ended !== undefined) return { state: 'ended', reason: this.#ended };
    return this.#window === undefined ? { state: 'unknown' } : { state: 'confirmed' };
  }

  /** Whether the scenario's requirement is met so far: everything, or the mechanism alone. */
  get isMet(): boolean {
    if (this.#ended !== undefined) return false;
    return this.#require === 'mechanism' ? this.#mechanismSeen : this.#window !== undefined;
  }

  /** Why there is no confirmation yet, from the last round. */
  get missing(): string {
    const telling = KINDS.find((each) => this.#last.some((sample) => sample.kind === each && !sample.holds));
    const kind = telling ?? KINDS.find((each) => !kindHolds(this.#last, each));
    if (this.#last.length === 0 || kind === undefined) return 'no round of evidence was complete';
    return `${kind === 'control' ? 'scope: control' : kind}: ${seenOf(this.#last, kind)}`;
  }

  /** Takes one round, in the order of completion. `atMs` is when its last sample was taken. */
  add(atMs: number, samples: readonly EvidenceSample[]): Progress {
    if (this.#ended !== undefined) return this.progress;
    this.#last = samples;
    if (kindHolds(samples, 'mechanism')) this.#mechanismSeen = true;
    if (KINDS.every((kind) => kindHolds(samples, kind))) {
      this.#window = { fromMs: this.#window?.fromMs ?? atMs, toMs: atMs };
    }
    const refuted = this.#refuted(samples);
    if (refuted !== undefined) this.#ended = `${refuted}: ${seenOf(samples, refuted)}`;
    const watched = this.#watched();
    this.#count(samples);
    const gone = watched.find((kind) => this.#misses[kind] >= MISSES[kind]);
    if (gone !== undefined)
      this.#ended ??= `${gone === 'control' ? 'scope' : 'ended-early'}: ${whyGone(samples, gone)}`;
    return this.progress;
  }

  /** What is required and did not come true when it could. */
  #refuted(samples: readonly EvidenceSample[]): EvidenceKind | undefined {
    const required = this.#require === 'mechanism' ? (['mechanism'] as const) : KINDS;
    return required.find((kind) =>
      samples.some((sample) => sample.kind === kind && sample.isFinal === true && !sample.holds),
    );
  }

  /** A kind that nobody looked at in this round has neither held nor gone; that nobody looked counts as a broken control. */
  #count(samples: readonly EvidenceSample[]): void {
    const sampled = KINDS.filter((kind) => samples.some((sample) => sample.kind === kind));
    const isBlind = sampled.length < KINDS.length;
    for (const kind of new Set<EvidenceKind>([...sampled, 'control'])) {
      const isMiss = !kindHolds(samples, kind) || (kind === 'control' && isBlind);
      this.#misses[kind] = isMiss ? this.#misses[kind] + 1 : 0;
    }
  }

  /** The kinds whose loss would end the evidence: all once confirmed, the mechanism alone where that is enough. */
  #watched(): readonly EvidenceKind[] {
    if (this.#require === 'mechanism') return this.#mechanismSeen ? ['mechanism'] : [];
    return this.#window === undefined ? [] : KINDS;
  }
}
