// The caller is answered an error in the store's stead; nothing is sent to the store. A caller that waits for 100-continue is
// answered before it has sent its body.
import { z } from 'zod';
import { defineAction } from './action.ts';

/** What S3 says with each status, unless the rule says another word. */
export const USUAL_CODES = {
  403: 'AccessDenied',
  404: 'NoSuchKey',
  412: 'PreconditionFailed',
  500: 'InternalError',
  503: 'SlowDown',
} as const;

export const statusField = z.literal([403, 404, 412, 500, 503]);
export const codeField = z.string().regex(/^[A-Za-z]{1,100}$/u, 'Use a word of S3, like SlowDown.');
export const MESSAGE = 'Answered by a rule of the ackproof S3 proxy.';

export const status = defineAction({
  schema: z.strictObject({
    kind: z.literal('status'),
    status: statusField,
    /** S3's word in the error document. */
    code: codeField.exactOptional(),
    retryAfterSeconds: z.int().min(0).max(3600).exactOptional(),
  }),
  perform: async (exchange, grant, { status: told, code = USUAL_CODES[told], retryAfterSeconds }) => {
    grant.act();
    await exchange.answer({ status: told, code, message: MESSAGE, requestId: grant.name, retryAfterSeconds });
  },
});
