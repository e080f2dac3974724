// One request and what becomes of it: the caller's side, the way to the store, and what is counted. Actions and the plain passing
// on are written in terms of it.
import type { Clock } from '../clock.ts';
import type { ListenerTally } from './counters.ts';
import type { Grant } from './grant.ts';
import { requestFraming } from './http/body-framing.ts';
import type { HttpRefusal } from './http/http-refusal.ts';
import { MessageBody } from './http/message-body.ts';
import { isPersistent, passedOn, type RequestHead, type ResponseHead, wordsOf } from './http/message-head.ts';
import type { Leaving, Peer } from './http/peer.ts';
import { ownAnswerBytes } from './own-answer.ts';
import type { Budget, ProxyLimits } from './proxy-limits.ts';
import { type S3Request, s3RequestOf } from './s3-operation.ts';

/** What all exchanges of a proxy share. */
export interface ProxyParts {
  readonly clock: Clock;
  readonly limits: ProxyLimits;
  /** For requests that are kept to be forwarded later. */
  readonly kept: Budget;
  /** Told in one line of what a person should know. */
  readonly note: (text: string) => void;
  /** Takes over what goes on when an exchange is over; it never throws. */
  readonly later: (work: Promise<void>) => void;
}

/** The way from one caller's connection to the store. */
export interface WayUp {
  /** The connection that this caller's requests go by, dialled if need be. Throws EnvironmentError. */
  upstream(): Promise<Peer>;
  /** Ends it; the next request dials anew. */
  dropUpstream(how: Leaving): void;
  /** A connection of its own, for what outlives the caller's. Throws EnvironmentError. */
  ownUpstream(): Promise<Peer>;
}

export interface ExchangeOptions extends ProxyParts {
  readonly caller: Peer;
  readonly head: RequestHead;
  readonly way: WayUp;
  readonly tally: ListenerTally;
}

export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** Longer than any rule lives. */
const FOR_EVER_MS = 7 * 24 * 3_600_000;

export class Exchange {
  readonly head: RequestHead;
  readonly request: S3Request;
  /** The caller's, as far as it was not taken yet. */
  readonly body: MessageBody;
  readonly caller: Peer;
  readonly parts: ProxyParts;
  readonly way: WayUp;
  readonly #tally: ListenerTally;
  #grant: Grant | undefined;
  #isLast: boolean;
  #status: number | undefined;
  #wasContinued = false;
  readonly #onCallerGone = (): void => this.#callerLeft();

  /** Throws HttpRefusal for a body whose length is not clear. */
  constructor(options: ExchangeOptions) {
    const { caller, head, way, tally, ...parts } = options;
    this.body = new MessageBody(caller, requestFraming(head));
    this.request = s3RequestOf(head);
    this.caller = caller;
    this.head = head;
    this.way = way;
    this.parts = parts;
    this.#tally = tally;
    this.#isLast = !isPersistent(head);
    tally.started(this.request.op);
    caller.gone.addEventListener('abort', this.#onCallerGone);
  }

  /** Puts the exchange into the hands of a rule. */
  ruledBy(grant: Grant): void {
    this.#grant = grant;
    grant.cut = () => {
      this.endCaller('reset');
      this.way.dropUpstream('reset');
    };
  }

  /** Whether the caller's connection ends with this exchange. */
  get isLast(): boolean {
    return this.#isLast;
  }

  /** Whether a rule in force has it; its connection may be idle then. */
  get isHeld(): boolean {
    return this.#grant?.ended.aborted === false;
  }

  get expectsContinue(): boolean {
    return this.head.minorVersion === 1 && wordsOf(this.head, 'expect').includes('100-continue');
  }

  /**
   * The caller waits to be told to go on with its body. After a final answer nobody can know whether the body comes all the same,
   * so its connection ends.
   */
  get #awaitsContinue(): boolean {
    const waits = this.expectsContinue && !this.#wasContinued && !this.body.isComplete;
    return waits && !this.body.hasBegun && this.caller.isQuiet;
  }

  #callerLeft(): void {
    this.#isLast = true;
    this.#tally.callerAborted++;
    this.#grant?.callerLeft();
  }

  /** Waits for `ms`, or without end; not beyond the end of the rule, nor of the caller's connection. */
  async hold(ms = FOR_EVER_MS): Promise<'over' | 'let-go' | 'left'> {
    const how = await this.pause(ms, [this.caller.gone]);
    return this.caller.gone.aborted ? 'left' : how;
  }

  /** Waits for `ms`, not beyond the end of the rule, nor of any of `signals`. */
  async pause(ms: number, signals: readonly AbortSignal[] = []): Promise<'over' | 'let-go'> {
    const enders = this.#grant === undefined ? signals : [...signals, this.#grant.ended];
    const stop = new AbortController();
    const end = (): void => stop.abort();
    for (const signal of enders) signal.addEventListener('abort', end);
    if (enders.some(({ aborted }) => aborted)) end();
    try {
      await this.parts.clock.sleep(ms, stop.signal);
      return 'over';
    } catch {
      return 'let-go';
    } finally {
      for (const signal of enders) signal.removeEventListener('abort', end);
    }
  }

  /** The head is on its way to the store. */
  forwarded(): void {
    this.#grant?.forwarded();
  }

  answeredUpstream(status: number): void {
    this.#tally.answeredUpstream(this.request.op, status);
    this.#grant?.answeredUpstream(status);
  }

  sentUpstream(bytes: number): void {
    this.#tally.requestBytes += bytes;
  }

  upstreamFailed(): void {
    this.#tally.upstreamFailures++;
  }

  /** Passes an answer that is not the last one on; false when the caller is gone. */
  async passInterim(head: ResponseHead): Promise<boolean> {
    if (head.status === 100) this.#wasContinued = true;
    return await this.caller.write(passedOn(head));
  }

  /** Asks for the body in the store's stead, where the request is not forwarded yet. */
  async inviteBody(): Promise<void> {
    if (!this.#awaitsContinue) return;
    this.#wasContinued = true;
    await this.caller.write(Buffer.from('HTTP/1.1 100 Continue\r\n\r\n', 'latin1'));
  }

  /** Begins the final answer; false when the caller is gone. `closes`: nothing can follow it on this connection. */
  async beginAnswer(head: ResponseHead, closes: boolean): Promise<boolean> {
    this.#isLast ||= closes || this.#awaitsContinue;
    this.#answered(head.status);
    return await this.toCaller(passedOn(head, this.#isLast ? 'Connection: close\r\n' : ''));
  }

  #answered(status: number): void {
    this.#status = status;
    this.#tally.answered(this.request.op, status);
  }

  /** Sends bytes of the final answer; false when the caller is gone. */
  async toCaller(bytes: Buffer): Promise<boolean> {
    this.#tally.responseBytes += bytes.length;
    this.#grant?.sentToCaller(bytes.length);
    return await this.caller.write(bytes);
  }

  /** Answers in the store's stead, at once; the body that still comes is taken and forgotten. */
  async answer(refused: Refused): Promise<void> {
    await this.#answerOnly(refused);
    if (!this.#isLast) await this.body.discard();
  }

  /** Tells a caller what is wrong with its request, if it was not answered yet; nothing can follow on its connection. */
  async refuse({ status, message }: HttpRefusal): Promise<void> {
    this.#isLast = true;
    this.#tally.malformed++;
    await this.#answerOnly({ status, code: 'InvalidRequest', message, requestId: 'refused' });
  }

  async #answerOnly({ status, ...refused }: Refused): Promise<void> {
    if (this.#status !== undefined) return;
    this.#isLast ||= this.#awaitsContinue;
    this.#answered(status);
    const isHead = this.request.method === 'HEAD';
    const { resource } = this.request;
    const answer = { status, ...refused, resource, isHead, closes: this.#isLast };
    await this.toCaller(ownAnswerBytes(answer, this.parts.clock.wall()));
  }

  /** Leaves the caller's connection as it is told; its body is not read any more. */
  endCaller(how: Leaving): void {
    this.#isLast = true;
    this.#forgetCaller();
    this.caller.leave(how);
  }

  #forgetCaller(): void {
    this.caller.gone.removeEventListener('abort', this.#onCallerGone);
  }

  /** `work` goes on with the request when the exchange is over, and closes the grant itself. It never throws. */
  goOnLater(work: Promise<void>): void {
    this.#grant = undefined;
    this.parts.later(work);
  }

  /** Nothing more is done for the caller. */
  close(): void {
    this.#forgetCaller();
    this.#grant?.close();
    this.#tally.ended(this.request.op, this.#status !== undefined);
  }
}
