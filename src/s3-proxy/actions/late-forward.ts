// Failure now, commit later: the request is taken whole and kept, its caller is told that it failed, or nothing, and the same bytes
// are sent to the store `afterMs` later by a connection of their own, perhaps over a newer retry. Where the rule ends before that,
// they are sent then: when nothing is held any more, nothing comes late any more.
import { z } from 'zod';
import { isoTime } from '../../clock.ts';
import { describeError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';
import type { Grant } from '../grant.ts';
import { passedOn } from '../http/message-head.ts';
import type { Peer } from '../http/peer.ts';
import { awaitAnswer, passOn } from '../pass-on.ts';
import { defineAction, MOST_MS } from './action.ts';
import { codeField, MESSAGE, statusField, USUAL_CODES } from './status.ts';

/** The body, within the memory that all kept requests share; undefined where there was not enough of it. */
const keepBody = async (exchange: Exchange): Promise<readonly Buffer[] | undefined> => {
  const { kept } = exchange.parts;
  const parts: Buffer[] = [];
  for (;;) {
    const stretch = await exchange.body.next();
    if (stretch === undefined) return parts;
    if (!kept.take(stretch.bytes.length)) {
      kept.giveBack(bytesOf(parts));
      return undefined;
    }
    parts.push(stretch.bytes);
  }
};

const bytesOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Sends what was kept; the status of the store's answer. */
const send = async (exchange: Exchange, grant: Grant, upstream: Peer, parts: readonly Buffer[]): Promise<number> => {
  const { limits } = exchange.parts;
  grant.forwarded();
  for (const part of [passedOn(exchange.head), ...parts]) {
    exchange.sentUpstream(part.length);
    if (!(await upstream.write(part))) break;
  }
  const answer = await awaitAnswer(upstream, exchange.request.method, limits.headBytes, () => Promise.resolve());
  if (answer === undefined) throw new Error('The store closed the connection without an answer.');
  exchange.answeredUpstream(answer.head.status);
  grant.answeredUpstream(answer.head.status);
  await answer.body.discard();
  return answer.head.status;
};

/** Waits, sends, and writes down what came of it. Never throws. */
const sendLater = async (
  exchange: Exchange,
  grant: Grant,
  afterMs: number,
  parts: readonly Buffer[],
): Promise<void> => {
  const { clock, kept, note } = exchange.parts;
  const { bucket, key, op } = exchange.request;
  const cut = new AbortController();
  grant.cut = () => cut.abort();
  let upstream: Peer | undefined;
  let status: number | null = null;
  let why = '';
  try {
    await exchange.pause(afterMs, [cut.signal, grant.ended]);
    cut.signal.throwIfAborted();
    upstream = await exchange.way.ownUpstream();
    cut.signal.addEventListener('abort', () => upstream?.leave('reset'));
    cut.signal.throwIfAborted();
    status = await send(exchange, grant, upstream, parts);
  } catch (thrown) {
    why = ` (${describeError(thrown)})`;
  } finally {
    upstream?.leave('close');
    kept.giveBack(bytesOf(parts));
    const at = isoTime(clock.wall());
    grant.forwardedLate({ at, bucket, key, status });
    note(`${at} ${grant.name}: ${op} ${bucket}/${key} was forwarded late, answered ${status ?? `by nothing${why}`}`);
    grant.close();
  }
};

export const lateForward = defineAction({
  schema: z
    .strictObject({
      kind: z.literal('late-forward'),
      afterMs: z.number().min(0).max(MOST_MS),
      /** What the caller sees: an error, or a connection that is reset. */
      reply: z.enum(['drop', 'status']),
      /** Of the error; 500 where it is left out. */
      status: statusField.exactOptional(),
      code: codeField.exactOptional(),
    })
    .refine(
      ({ reply, status, code }) => reply === 'status' || (status === undefined && code === undefined),
      'status and code belong to reply: "status".',
    ),
  perform: async (exchange, grant, { afterMs, reply, status = 500, code = USUAL_CODES[status] }) => {
    const announced = exchange.body.framing.kind === 'length' ? exchange.body.framing.bytes : 0;
    if (!exchange.parts.kept.has(announced)) {
      grant.wasTooLarge();
      await passOn(exchange);
      return;
    }
    await exchange.inviteBody();
    const parts = await keepBody(exchange);
    if (parts === undefined || !exchange.body.isComplete) {
      if (parts === undefined) grant.wasTooLarge();
      else exchange.parts.kept.giveBack(bytesOf(parts));
      exchange.endCaller('reset');
      return;
    }
    grant.act();
    exchange.goOnLater(sendLater(exchange, grant, afterMs, parts));
    if (reply === 'drop') exchange.endCaller('reset');
    else await exchange.answer({ status, code, message: MESSAGE, requestId: grant.name });
  },
});
