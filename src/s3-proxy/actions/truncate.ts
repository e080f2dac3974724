// An answer that ends too early: after `bytes` of its content. With `keep` its head promises all of it and the connection closes;
// with `rewrite` it is a valid answer of a short object. What succeeded is cut, errors are passed on as they are.
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Grant } from '../grant.ts';
import type { Stretch } from '../http/message-body.ts';
import { valueOf, withValues } from '../http/message-head.ts';
import { type Answer, endBroken, passAnswer, passOn } from '../pass-on.ts';
import { defineAction } from './action.ts';

const LAST_CHUNK = Buffer.from('0\r\n\r\n', 'latin1');

const chunkOf = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`, 'latin1'), content, Buffer.from('\r\n', 'latin1')]);

/** The head of an answer that has no more than `bytes`, ranges included. */
const shortHead = ({ head, body }: Answer, bytes: number): Answer['head'] => {
  if (body.framing.kind !== 'length') return head;
  const [, start, total] = /^bytes (\d+)-\d+(\/.*)$/u.exec(valueOf(head, 'content-range') ?? '') ?? [];
  const end = Number(start) + bytes - 1;
  const range = start === undefined || bytes === 0 ? {} : { 'content-range': `bytes ${start}-${end}${total ?? ''}` };
  return withValues(head, { 'content-length': String(bytes), ...range });
};

/** What of a stretch belongs to the first `left` bytes of the content, and how many they were. */
type Cut = (stretch: Stretch, left: number) => readonly [kept: Buffer, contentBytes: number];

/** As on the wire, up to the last byte of content that is wanted. */
const wireUpTo: Cut = ({ bytes, content }, left) => {
  let taken = 0;
  for (const [from, to] of content) {
    if (taken + to - from > left) return [bytes.subarray(0, from + left - taken), left + 1];
    taken += to - from;
  }
  return [bytes, taken];
};

/** Each run of content as a chunk of its own. */
const chunksUpTo: Cut = ({ bytes, content }, left) => {
  const kept: Buffer[] = [];
  let taken = 0;
  for (const [from, to] of content) {
    const wanted = Math.min(to, from + left - taken);
    if (wanted > from) kept.push(chunkOf(bytes.subarray(from, wanted)));
    taken += to - from;
  }
  return [Buffer.concat(kept), taken];
};

/** Sends the content up to `limit` bytes; whether there was more of it. */
const sendUpTo = async (exchange: Exchange, answer: Answer, limit: number, cut: Cut): Promise<boolean> => {
  let left = limit;
  for (;;) {
    const stretch = await answer.body.next();
    if (stretch === undefined) return false;
    const [kept, contentBytes] = cut(stretch, left);
    if (kept.length > 0 && !(await exchange.toCaller(kept))) return false;
    if (contentBytes > left) return true;
    left -= contentBytes;
  }
};

const keepLength = async (exchange: Exchange, grant: Grant, answer: Answer, bytes: number): Promise<void> => {
  await exchange.beginAnswer(answer.head, true);
  if (!(await sendUpTo(exchange, answer, bytes, wireUpTo))) {
    endBroken(exchange, answer);
    return;
  }
  grant.act();
  exchange.way.dropUpstream('reset');
  exchange.endCaller('close');
};

const rewriteLength = async (exchange: Exchange, grant: Grant, answer: Answer, bytes: number): Promise<void> => {
  const isChunked = answer.body.framing.kind === 'chunked';
  if (answer.body.framing.kind === 'length') grant.act();
  await exchange.beginAnswer(shortHead(answer, bytes), answer.closes);
  const hadMore = await sendUpTo(exchange, answer, bytes, isChunked ? chunksUpTo : wireUpTo);
  if (hadMore) {
    grant.act();
    exchange.way.dropUpstream('reset');
  }
  if (hadMore || answer.body.isComplete) {
    if (isChunked) await exchange.toCaller(LAST_CHUNK);
  } else {
    endBroken(exchange, answer);
  }
};

/** Whether there is anything to cut, as far as the head tells. */
const isLonger = ({ head, body: { framing } }: Answer, bytes: number): boolean => {
  if (head.status >= 300 || framing.kind === 'none') return false;
  return framing.kind !== 'length' || framing.bytes > bytes;
};

export const truncate = defineAction({
  schema: z.strictObject({
    kind: z.literal('truncate'),
    /** Of the answer's content, that the caller gets. */
    bytes: z.int().min(0),
    /** Whether the head tells the length that it was, or the length that comes. */
    length: z.enum(['keep', 'rewrite']),
    allow: z.literal('corrupt', 'Say allow: "corrupt": callers may take what they get for the object.'),
  }),
  perform: async (exchange, grant, { bytes, length }) => {
    await passOn(exchange, {
      download: async (_, answer) => {
        if (!isLonger(answer, bytes)) await passAnswer(exchange, answer);
        else if (length === 'keep') await keepLength(exchange, grant, answer, bytes);
        else await rewriteLength(exchange, grant, answer, bytes);
      },
    });
  },
});
