// The caller hears nothing until it gives up, or the rule ends, or `maxMs` is over; then its connection is reset. Its body is taken
// and forgotten, so that its giving up is noticed; nothing is sent to the store.
import { z } from 'zod';
import { defineAction, MOST_MS } from './action.ts';

export const hang = defineAction({
  schema: z.strictObject({
    kind: z.literal('hang'),
    /** Until the rule ends where it is left out. */
    maxMs: z.number().positive().max(MOST_MS).exactOptional(),
  }),
  perform: async (exchange, grant, { maxMs }) => {
    grant.act();
    const held = exchange.hold(maxMs).then(() => exchange.endCaller('reset'));
    await Promise.all([held, exchange.body.discard()]);
  },
});
