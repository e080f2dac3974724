// A broken upload: so many bytes of the body reach the store, and both connections break. However short the body is, its end is never
// sent, so that the store cannot commit it. A request without a body is not sent at all.
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Peer } from '../http/peer.ts';
import { passOn } from '../pass-on.ts';
import { defineAction } from './action.ts';

/** Sends `bytes` of the body, or as many as leave it incomplete; false where the caller left before. */
const sendPart = async (exchange: Exchange, upstream: Peer, bytes: number): Promise<boolean> => {
  const { body } = exchange;
  let left = body.framing.kind === 'length' ? Math.min(bytes, body.framing.bytes - 1) : bytes;
  while (left > 0) {
    const stretch = await body.next();
    if (stretch === undefined) return false;
    const part = stretch.bytes.subarray(0, Math.min(left, stretch.closingAt ?? left));
    exchange.sentUpstream(part.length);
    if (!(await upstream.write(part)) || stretch.closingAt !== undefined) return true;
    left -= part.length;
  }
  return true;
};

export const abort = defineAction({
  schema: z.strictObject({
    kind: z.literal('abort'),
    /** Of the request's body, as it is on the wire; 0 sends nothing, not even the head. */
    afterBytes: z.int().min(0),
    /** What the caller sees of it. */
    how: z.enum(['close', 'reset']),
  }),
  perform: async (exchange, grant, { afterBytes, how }) => {
    const breakOff = (): void => {
      grant.act();
      exchange.endCaller(how);
      exchange.way.dropUpstream('reset');
    };
    if (afterBytes === 0 || exchange.body.framing.kind === 'none') {
      breakOff();
      return;
    }
    let broken: () => void;
    const untilBroken = new Promise<void>((resolve) => {
      broken = resolve;
    });
    await passOn(exchange, {
      upload: async (_, upstream) => {
        const isThere = await sendPart(exchange, upstream, afterBytes).finally(broken);
        if (!isThere) return 'caller-lost';
        breakOff();
        return 'stopped';
      },
      // Whatever the store says to half a request is not passed on.
      download: async () => await untilBroken,
    });
  },
});
