// What is made for a fault while it prepares, seconds before there is an intent: canary topics on a cluster that may be somebody
// else's. How it goes away again is written down before it is made, so that it does whatever becomes of the fault or of the run.
import type { Clock } from '../clock.ts';
import { DeadlineError, describeError } from '../errors.ts';
import type { StartedTarget } from '../targets/target.ts';
import { withDeadline } from './deadline.ts';
import type { HealSample, PreparedFault, UndoRecord, UndoStep } from './fault.ts';
import { leftOf, performUndo, reachOf } from './undo.ts';

/** The longest that a preparation which was given up may still be making something, ms. */
const GIVEN_UP_MS = 12_000;
/** Between two attempts to take it away. */
const AGAIN_AFTER_MS = 250;

export class MadeBeforehand {
  readonly #fault: UndoRecord['fault'];
  readonly #target: StartedTarget;
  /** Returns once it is durable. */
  readonly #write: (undo: UndoRecord) => Promise<void>;
  #steps: readonly UndoStep[] = [];

  constructor(fault: UndoRecord['fault'], target: StartedTarget, write: (undo: UndoRecord) => Promise<void>) {
    this.#fault = fault;
    this.#target = target;
    this.#write = write;
  }

  get undo(): UndoRecord {
    return { fault: this.#fault, steps: this.#steps };
  }

  get isNothing(): boolean {
    return this.#steps.length === 0;
  }

  /** @throws whatever keeps it from being written down; then it must not be made. */
  async add(step: UndoStep): Promise<void> {
    this.#steps = [...this.#steps, step];
    await this.#write(this.undo);
  }

  /** What is undone with the fault itself, after all of its own. */
  with({ fault, steps }: UndoRecord): UndoRecord {
    return { fault, steps: [...this.#steps, ...steps] };
  }

  /** Waits until what a preparation was about to make is there, or never will be: only then can it be taken away. */
  async awaitGivenUp(clock: Clock, preparing: Promise<PreparedFault>): Promise<void> {
    const over = preparing.then(
      (late) => late.close?.(),
      () => undefined,
    );
    if (this.isNothing) return;
    const wait = { clock, ms: GIVEN_UP_MS, what: `the preparation of ${this.#fault} to be given up` };
    await withDeadline(wait, async () => await over).catch(() => undefined);
  }

  /**
   * Takes it away, and looks, again and again until it is gone: another fault may have the cluster down until a moment from now.
   * @throws DeadlineError with what kept it there last.
   */
  async remove(clock: Clock, timeoutMs: number): Promise<void> {
    if (this.isNothing) return;
    const what = `what was made for ${this.#fault} to be gone`;
    const began = clock.now();
    let seen = 'no answer';
    const untilGone = async (signal: AbortSignal): Promise<void> => {
      for (;;) {
        const whyNot = await this.#whyNotGone(signal);
        if (whyNot === undefined) return;
        signal.throwIfAborted();
        seen = whyNot;
        await clock.sleep(AGAIN_AFTER_MS, signal);
      }
    };
    await withDeadline({ clock, ms: timeoutMs, what }, untilGone).catch((thrown: unknown) => {
      throw thrown instanceof DeadlineError ? new DeadlineError(what, clock.now() - began, seen) : thrown;
    });
  }

  /** Whether it is gone; nothing where nothing was made. */
  async sample(): Promise<readonly HealSample[]> {
    if (this.isNothing) return [];
    const left = await leftOf(this.undo, reachOf(this.#target));
    const seen = left.length === 0 ? 'its canary is gone' : left.map(({ what }) => what).join('; ');
    return [{ kind: 'mechanism', holds: left.length === 0, seen }];
  }

  async #whyNotGone(signal: AbortSignal): Promise<string | undefined> {
    const [problem] = await performUndo([this.undo], reachOf(this.#target), signal);
    if (problem !== undefined) return describeError(problem.error);
    return (await this.sample()).find(({ holds }) => !holds)?.seen;
  }
}
