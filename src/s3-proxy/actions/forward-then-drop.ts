// The ambiguous commit: the store does what it was asked, and its answer is kept from the caller. The whole answer is taken first:
// S3 begins some of its answers before the work is done.
import { z } from 'zod';
import { passOn } from '../pass-on.ts';
import { defineAction } from './action.ts';

export const forwardThenDrop = defineAction({
  schema: z.strictObject({
    kind: z.literal('forward-then-drop'),
    /** What the caller sees; `hang`: nothing, until it gives up or the rule ends. */
    how: z.enum(['close', 'hang', 'reset']),
  }),
  perform: async (exchange, grant, { how }) => {
    await passOn(exchange, {
      download: async (_, answer) => {
        await answer.body.discard();
        grant.act();
        if (how === 'hang') await exchange.hold();
        exchange.endCaller(how === 'hang' ? 'reset' : how);
      },
    });
  },
});
