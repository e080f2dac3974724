// One question to the cluster, asked again and again in a loop of its own with a deadline of its own, so that no question waits
// for another. What the cluster does not offer or does not permit is told once and not asked again; how often it was asked and
// answered is kept, because "not seen" says nothing without it.
import type { Clock } from '../clock.ts';
import { describeError } from '../errors.ts';
import { isNotServed } from '../wire/api-negotiation.ts';
import {
  CLUSTER_AUTHORIZATION_FAILED,
  SASL_AUTHENTICATION_FAILED,
  TOPIC_AUTHORIZATION_FAILED,
} from '../wire/error-codes.ts';
import type { CallOptions } from '../wire/evidence-calls.ts';
import { WireError } from '../wire/wire-error.ts';

/** `away`: it was not answered twice in a row, as while nobody is there to answer. */
export type PollState = 'answers' | 'away' | 'not-permitted' | 'not-provided';

export interface PollOptions<T> {
  readonly everyMs: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly ask: (options: Required<CallOptions>) => Promise<T>;
  readonly take: (answer: T) => void;
  /** Told when it changes. */
  readonly onState: (state: PollState, detail: string) => void;
}

export interface PollCoverage {
  readonly state: PollState;
  readonly asked: number;
  readonly answered: number;
  readonly everyMs: number;
}

const REFUSALS: ReadonlySet<number> = new Set([
  CLUSTER_AUTHORIZATION_FAILED,
  SASL_AUTHENTICATION_FAILED,
  TOPIC_AUTHORIZATION_FAILED,
]);
const OF_SECURITY: ReadonlySet<string> = new Set([
  'WIRE_LOGIN_REFUSED',
  'WIRE_SASL_MECHANISM',
  'WIRE_SERVER_UNPROVEN',
  'WIRE_TLS_FAILED',
]);

const stateAfter = (thrown: unknown): PollState => {
  if (isNotServed(thrown)) return 'not-provided';
  if (!(thrown instanceof WireError)) return 'away';
  const isRefused = thrown.kafkaCode !== undefined && REFUSALS.has(thrown.kafkaCode);
  return isRefused || OF_SECURITY.has(thrown.code) ? 'not-permitted' : 'away';
};

const ANSWERED = 'is answered';

export class ClusterPoll<T> implements AsyncDisposable {
  readonly #options: PollOptions<T>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #state: PollState | undefined;
  #failedBefore = false;
  #asked = 0;
  #answered = 0;

  /** Begins to ask at once. */
  constructor(options: PollOptions<T>) {
    this.#options = options;
    this.#running = this.#run();
  }

  get coverage(): PollCoverage {
    const { everyMs } = this.#options;
    return { state: this.#state ?? 'away', asked: this.#asked, answered: this.#answered, everyMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('The watch was stopped.'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#askOnce(signal);
      // Asking again would only be refused again, and too many refused logins lock an account.
      if (this.#state === 'not-provided' || this.#state === 'not-permitted') return;
      await clock.sleep(everyMs, signal).catch(() => undefined);
    }
  }

  async #askOnce(signal: AbortSignal): Promise<void> {
    const { ask, take, deadlineMs } = this.#options;
    try {
      const answer = await ask({ deadlineMs, signal });
      if (signal.aborted) return;
      this.#asked += 1;
      this.#answered += 1;
      this.#failedBefore = false;
      this.#enter('answers', ANSWERED);
      take(answer);
    } catch (thrown) {
      if (signal.aborted) return;
      this.#asked += 1;
      const state = stateAfter(thrown);
      if (state !== 'away' || this.#failedBefore) this.#enter(state, describeError(thrown));
      this.#failedBefore = true;
    }
  }

  #enter(state: PollState, detail: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(state, detail);
  }
}
