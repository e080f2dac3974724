// The request's body reaches the store at a rate, while the proxy takes some of it ahead: a caller that has sent all of it, waits,
// gives up and tries again, has two attempts that both may be committed. One that leaves before all was taken has committed nothing.
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Peer } from '../http/peer.ts';
import { passOn, type UploadEnd } from '../pass-on.ts';
import { defineAction } from './action.ts';

const KIB = 1024;
/** So much of a body is taken from the caller before it is due. */
const AHEAD_BYTES = 4 * KIB * KIB;
const SLICES_PER_SECOND = 20;

const sendSlowly = async (exchange: Exchange, upstream: Peer, bytesPerSecond: number): Promise<UploadEnd> => {
  const { clock } = exchange.parts;
  const slice = Math.ceil(bytesPerSecond / SLICES_PER_SECOND);
  const from = clock.now();
  let sent = 0;
  for (;;) {
    const stretch = await exchange.body.next();
    if (stretch === undefined) return exchange.body.isComplete ? 'whole' : 'caller-lost';
    for (let at = 0; at < stretch.bytes.length; at += slice) {
      const part = stretch.bytes.subarray(at, at + slice);
      sent += part.length;
      const early = from + (sent / bytesPerSecond) * 1000 - clock.now();
      if (early > 0) await exchange.pause(early, [upstream.gone]);
      exchange.sentUpstream(part.length);
      if (!(await upstream.write(part))) return 'upstream-lost';
    }
  }
};

export const slowBody = defineAction({
  schema: z.strictObject({
    kind: z.literal('slow-body'),
    rateKiBPerSecond: z.number().min(1).max(1_000_000),
  }),
  perform: async (exchange, grant, { rateKiBPerSecond }) => {
    if (exchange.body.framing.kind === 'none') {
      await passOn(exchange);
      return;
    }
    await passOn(exchange, {
      upload: async (_, upstream) => {
        grant.act();
        exchange.caller.readAhead(AHEAD_BYTES);
        const end = await sendSlowly(exchange, upstream, rateKiBPerSecond * KIB);
        exchange.caller.readAheadAsUsual();
        return end;
      },
    });
  },
});
