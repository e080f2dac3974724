// One question on its way: its frame, its deadline, and the promise of its answer.
import { systemClock } from '../clock.ts';
import type { ApiName } from './protocol.ts';
import { WireError } from './wire-error.ts';

export interface RequestOptions {
  /** Milliseconds from now within which the answer must be there. */
  readonly deadlineMs: number;
  /** Exactly this version; by default the highest that both sides know. */
  readonly version?: number;
  readonly signal?: AbortSignal;
}

/** The most that a timer can wait. */
const LONGEST_TIMER_MS = 0x7fffffff;

/** Called when an exchange runs out of time or is cancelled; the owner takes it out and, if it was sent, closes. */
export type GiveUp = (exchange: Exchange, error: WireError) => void;

export class Exchange {
  readonly api: ApiName;
  readonly version: number;
  readonly correlationId: number;
  readonly frame: Buffer;
  readonly answer: Promise<Buffer>;
  /** Set when the frame is handed to the socket. */
  sent = false;
  readonly #startedMs = systemClock.now();
  readonly #options: RequestOptions;
  readonly #onAbort: () => void;
  readonly #timer: NodeJS.Timeout;
  #resolve: (frame: Buffer) => void = () => undefined;
  #reject: (error: WireError) => void = () => undefined;

  constructor(
    question: {
      readonly api: ApiName;
      readonly version: number;
      readonly correlationId: number;
      readonly frame: Buffer;
    },
    options: RequestOptions,
    giveUp: GiveUp,
  ) {
    this.api = question.api;
    this.version = question.version;
    this.correlationId = question.correlationId;
    this.frame = question.frame;
    this.#options = options;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#onAbort = () => giveUp(this, this.#error('WIRE_CANCELLED', 'was cancelled'));
    const expire = (): void => giveUp(this, this.#error('WIRE_DEADLINE', 'got no answer'));
    this.#timer = setTimeout(expire, Math.min(LONGEST_TIMER_MS, Math.max(0, options.deadlineMs)));
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  succeed(frame: Buffer): void {
    this.#settle();
    this.#resolve(frame);
  }

  fail(error: WireError): void {
    this.#settle();
    this.#reject(error);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }

  #error(code: 'WIRE_DEADLINE' | 'WIRE_CANCELLED', what: string): WireError {
    const waitedMs = Math.round(systemClock.now() - this.#startedMs);
    const state = this.sent ? 'sent, no answer yet' : 'not sent yet';
    return new WireError(
      code,
      `${this.api} v${this.version} (correlation id ${this.correlationId}) ${what} after ${waitedMs} ms; last seen: ${state}.`,
      { sent: this.sent },
    );
  }
}
