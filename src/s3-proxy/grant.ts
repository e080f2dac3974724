// A rule's hold on one request, from the match to the end of what it does to it. What happens meanwhile is counted on the rule; a
// grant of which nothing came gives its place under the rule's limits back.
import type { Random } from '../random.ts';
import type { LateForward } from './counters.ts';

/** What a rule counts of the requests that it was let loose on. */
export interface RuleTally {
  matched: number;
  acted: number;
  held: number;
  forwarded: number;
  upstream2xx: number;
  upstream4xx: number;
  upstream5xx: number;
  responseBytes: number;
  callerAborted: number;
  tooLarge: number;
  keysBeyondLimit: number;
  firstAtMs: number | undefined;
  lastAtMs: number | undefined;
  readonly lateForwards: LateForward[];
}

export const emptyTally = (): RuleTally => ({
  matched: 0,
  acted: 0,
  held: 0,
  forwarded: 0,
  upstream2xx: 0,
  upstream4xx: 0,
  upstream5xx: 0,
  responseBytes: 0,
  callerAborted: 0,
  tooLarge: 0,
  keysBeyondLimit: 0,
  firstAtMs: undefined,
  lastAtMs: undefined,
  lateForwards: [],
});

const LATE_FORWARDS_KEPT = 100;

export interface GrantOptions {
  readonly ruleId: string;
  /** Which match of the rule it was, from 1. */
  readonly number: number;
  /** What the action leaves to chance in a respect, decided by seed, rule and match. */
  readonly choice: (what: string) => Random;
  /** Aborts when the rule ends: whatever it holds is let go then. */
  readonly ended: AbortSignal;
  readonly tally: RuleTally;
  readonly wall: () => number;
  /** Nothing more is done to the request; `hasActed` is false where nothing was. */
  readonly onClose: (hasActed: boolean) => void;
}

export class Grant {
  readonly choice: GrantOptions['choice'];
  readonly ended: AbortSignal;
  /** Breaks the request off at once, on both sides. */
  cut: () => void = () => undefined;
  readonly #options: GrantOptions;
  #hasActed = false;
  #isOpen = true;

  constructor(options: GrantOptions) {
    this.#options = options;
    this.choice = options.choice;
    this.ended = options.ended;
    options.tally.held++;
  }

  /** Rule and match, `<rule>.<number>`: what a caller reads as the id of its request. */
  get name(): string {
    return `${this.#options.ruleId}.${this.#options.number}`;
  }

  /** From here on the request is treated otherwise than without the rule. */
  act(): void {
    if (this.#hasActed) return;
    this.#hasActed = true;
    const { tally, wall } = this.#options;
    tally.acted++;
    tally.lastAtMs = wall();
    tally.firstAtMs ??= tally.lastAtMs;
  }

  forwarded(): void {
    this.#options.tally.forwarded++;
  }

  answeredUpstream(status: number): void {
    const { tally } = this.#options;
    if (status < 300) tally.upstream2xx++;
    else if (status >= 500) tally.upstream5xx++;
    else if (status >= 400) tally.upstream4xx++;
  }

  sentToCaller(bytes: number): void {
    this.#options.tally.responseBytes += bytes;
  }

  callerLeft(): void {
    this.#options.tally.callerAborted++;
  }

  wasTooLarge(): void {
    this.#options.tally.tooLarge++;
  }

  forwardedLate(late: LateForward): void {
    const { lateForwards } = this.#options.tally;
    lateForwards.push(late);
    if (lateForwards.length > LATE_FORWARDS_KEPT) lateForwards.shift();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.tally.held--;
    this.#options.onClose(this.#hasActed);
  }
}
