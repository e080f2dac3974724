// A slow success: the request waits before it is sent to the store, or its answer waits before it is passed on, or both. A caller
// that leaves during the first wait has sent nothing to the store.
import { z } from 'zod';
import { passAnswer, passOn } from '../pass-on.ts';
import { defineAction, MOST_MS } from './action.ts';

const wait = z.number().positive().max(MOST_MS);

export const delay = defineAction({
  schema: z
    .strictObject({
      kind: z.literal('delay'),
      /** Before the request is sent on. */
      beforeMs: wait.exactOptional(),
      /** Between the store's answer and the first byte that the caller has of it. */
      afterMs: wait.exactOptional(),
    })
    .refine(
      ({ beforeMs, afterMs }) => beforeMs !== undefined || afterMs !== undefined,
      'Give beforeMs, afterMs or both.',
    ),
  perform: async (exchange, grant, { beforeMs, afterMs }) => {
    if (beforeMs !== undefined) {
      grant.act();
      if ((await exchange.hold(beforeMs)) === 'left') return;
    }
    await passOn(exchange, {
      download: async (_, answer) => {
        if (afterMs !== undefined) {
          grant.act();
          await exchange.hold(afterMs);
        }
        await passAnswer(exchange, answer);
      },
    });
  },
});
