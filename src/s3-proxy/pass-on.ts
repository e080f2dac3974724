// Passes a request on to the store and the answer back, byte for byte, both at once: an answer may come before the request is
// whole. Actions put something else in the place of either half.
import { describeError } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import { responseFraming } from './http/body-framing.ts';
import { HttpRefusal } from './http/http-refusal.ts';
import { MessageBody } from './http/message-body.ts';
import { isPersistent, parseResponseHead, passedOn, type ResponseHead } from './http/message-head.ts';
import type { Peer } from './http/peer.ts';
import { readHead } from './http/read-head.ts';

/** The store's final answer, as far as it has come. */
export interface Answer {
  readonly head: ResponseHead;
  readonly body: MessageBody;
  /** Whether the store's connection ends with it. */
  readonly closes: boolean;
}

/** How the upload came to its end; `stopped`: by an action, which has ended the caller's connection. */
export type UploadEnd = 'whole' | 'caller-lost' | 'upstream-lost' | 'stopped';

export interface Halves {
  readonly upload?: (exchange: Exchange, upstream: Peer) => Promise<UploadEnd>;
  readonly download?: (exchange: Exchange, answer: Answer) => Promise<void>;
}

/** Sends the caller's body as it comes. */
const passBody = async (exchange: Exchange, upstream: Peer): Promise<UploadEnd> => {
  for (;;) {
    const stretch = await exchange.body.next();
    if (stretch === undefined) return exchange.body.isComplete ? 'whole' : 'caller-lost';
    exchange.sentUpstream(stretch.bytes.length);
    if (!(await upstream.write(stretch.bytes))) return exchange.body.isComplete ? 'whole' : 'upstream-lost';
  }
};

/** Ends the answer to the caller where it broke off, in the way in which it did. */
export const endBroken = (exchange: Exchange, answer: Answer): void => {
  if (answer.body.isComplete) return;
  exchange.way.dropUpstream('reset');
  if (answer.body.brokenBy !== undefined) exchange.endCaller(answer.body.brokenBy);
};

/** Sends the answer as it comes. */
export const passAnswer = async (exchange: Exchange, answer: Answer): Promise<void> => {
  let isThere = await exchange.beginAnswer(answer.head, answer.closes);
  while (isThere) {
    const stretch = await answer.body.next();
    if (stretch === undefined) break;
    isThere = await exchange.toCaller(stretch.bytes);
  }
  endBroken(exchange, answer);
};

/** The final answer's head, interim ones passed on; undefined where the store left before. Throws HttpRefusal. */
export const awaitAnswer = async (
  upstream: Peer,
  method: string,
  limitBytes: number,
  onInterim: (head: ResponseHead) => Promise<unknown>,
): Promise<Answer | undefined> => {
  for (;;) {
    const bytes = await readHead(upstream, limitBytes);
    if (bytes === undefined) return undefined;
    const head = parseResponseHead(bytes);
    if (head.status === 101)
      throw new HttpRefusal(501, 'The store changed to another protocol, which nobody asked for.');
    if (head.status < 200) {
      await onInterim(head);
      continue;
    }
    const framing = responseFraming(head, method);
    return {
      head,
      body: new MessageBody(upstream, framing),
      closes: framing.kind === 'until-close' || !isPersistent(head),
    };
  }
};

/** The store's side cannot be understood: it is cut off, and so is the caller. */
const cutOff = (exchange: Exchange, thrown: unknown): void => {
  if (!(thrown instanceof HttpRefusal)) throw thrown;
  exchange.upstreamFailed();
  exchange.parts.note(`An answer of the store was not passed on: ${thrown.message}`);
  exchange.way.dropUpstream('reset');
  exchange.endCaller('reset');
};

/** A body that cannot be read is refused, if the caller was not answered yet; nothing of it is complete upstream. */
const refuseBody = async (exchange: Exchange, thrown: unknown): Promise<UploadEnd> => {
  if (!(thrown instanceof HttpRefusal)) throw thrown;
  await exchange.refuse(thrown);
  exchange.way.dropUpstream('reset');
  exchange.endCaller('close');
  return 'stopped';
};

const download = async (exchange: Exchange, upstream: Peer, halves: Halves): Promise<void> => {
  const { method } = exchange.request;
  const onInterim = async (head: ResponseHead): Promise<unknown> => await exchange.passInterim(head);
  try {
    const answer = await awaitAnswer(upstream, method, exchange.parts.limits.headBytes, onInterim);
    if (answer === undefined) {
      if (!upstream.isLeft) exchange.upstreamFailed();
      exchange.endCaller(upstream.leftBy);
      return;
    }
    exchange.answeredUpstream(answer.head.status);
    await (halves.download ?? passAnswer)(exchange, answer);
    if (answer.closes) exchange.way.dropUpstream('close');
  } catch (thrown) {
    cutOff(exchange, thrown);
  }
};

const upload = async (exchange: Exchange, upstream: Peer, halves: Halves): Promise<UploadEnd> => {
  try {
    const end = await (halves.upload ?? passBody)(exchange, upstream);
    // What the store has of a broken body must not be taken for a whole one.
    if (end === 'caller-lost') exchange.way.dropUpstream('reset');
    return end;
  } catch (thrown) {
    return await refuseBody(exchange, thrown);
  }
};

/** The connection to the store with the request's head on its way; undefined where there is none, which the caller has been told. */
const sendHead = async (exchange: Exchange): Promise<Peer | undefined> => {
  try {
    const upstream = await exchange.way.upstream();
    const bytes = passedOn(exchange.head);
    exchange.forwarded();
    exchange.sentUpstream(bytes.length);
    await upstream.write(bytes);
    return upstream;
  } catch (thrown) {
    exchange.upstreamFailed();
    exchange.parts.note(describeError(thrown));
    exchange.endCaller('reset');
    return undefined;
  }
};

/** Deals with the exchange as if the proxy were not there, but for what `halves` puts in the place of one half. */
export const passOn = async (exchange: Exchange, halves: Halves = {}): Promise<void> => {
  const upstream = await sendHead(exchange);
  if (upstream === undefined) return;
  const downloaded = async (): Promise<void> => {
    await download(exchange, upstream, halves);
    // An answer after which nothing may follow ends the connection, and with it whatever is left of the body.
    if (exchange.isLast) exchange.endCaller('close');
  };
  const [uploaded] = await Promise.all([upload(exchange, upstream, halves), downloaded()]);
  if (uploaded === 'upstream-lost') exchange.endCaller('close');
};
