// What is made for a fault while it prepares, seconds before there is an intent: canary topics on a cluster that may be somebody
// else's. How it goes away again is written down before it is made, so that it does whatever becomes of the fault or of the run.
import type { Clock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { StartedTarget } from '../targets/target.ts';
import { withDeadline } from './deadline.ts';
import type { HealSample, PreparedFault, UndoRecord, UndoStep } from './fault.ts';
import { healError } from './heal-stack.ts';
import { leftOf, performUndo, reachOf } from './undo.ts';

/** The longest that a preparation which was given up may still be making something, ms. */
const GIVEN_UP_MS = 12_000;

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

  /** @throws AckproofError where it cannot be taken away. */
  async remove(signal: AbortSignal): Promise<void> {
    if (this.isNothing) return;
    const error = healError(await performUndo([this.undo], reachOf(this.#target), signal));
    if (error !== undefined) throw error;
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

  /** Takes it away, and looks. @throws AckproofError where it is still there, or nobody answers for so long. */
  async discard(clock: Clock, timeoutMs: number): Promise<void> {
    const what = `what was made for ${this.#fault} to be gone`;
    await withDeadline({ clock, ms: timeoutMs, what }, async (signal) => {
      await this.remove(signal);
      const left = (await this.sample()).find(({ holds }) => !holds);
      if (left !== undefined) throw new EnvironmentError('CANARY_LEFT', `A canary was not taken away: ${left.seen}.`);
    });
  }

  /** Whether it is gone; nothing where nothing was made. */
  async sample(): Promise<readonly HealSample[]> {
    if (this.isNothing) return [];
    const left = await leftOf(this.undo, reachOf(this.#target));
    const seen = left.length === 0 ? 'its canary is gone' : left.map(({ what }) => what).join('; ');
    return [{ kind: 'mechanism', holds: left.length === 0, seen }];
  }
}
