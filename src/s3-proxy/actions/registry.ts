// Every action, one file each. A rule names one by its `kind`.
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Grant } from '../grant.ts';
import { abort } from './abort.ts';
import { corrupt } from './corrupt.ts';
import { delay } from './delay.ts';
import { forwardThenDrop } from './forward-then-drop.ts';
import { hang } from './hang.ts';
import { lateForward } from './late-forward.ts';
import { slowBody } from './slow-body.ts';
import { status } from './status.ts';
import { truncate } from './truncate.ts';

export const actionSchema = z.discriminatedUnion('kind', [
  abort.schema,
  corrupt.schema,
  delay.schema,
  forwardThenDrop.schema,
  hang.schema,
  lateForward.schema,
  slowBody.schema,
  status.schema,
  truncate.schema,
]);
export type ActionSpec = z.infer<typeof actionSchema>;

/** Deals with a request in the way of the rule that has it. */
export const perform = async (exchange: Exchange, grant: Grant, action: ActionSpec): Promise<void> => {
  switch (action.kind) {
    case 'abort':
      return await abort.perform(exchange, grant, action);
    case 'corrupt':
      return await corrupt.perform(exchange, grant, action);
    case 'delay':
      return await delay.perform(exchange, grant, action);
    case 'forward-then-drop':
      return await forwardThenDrop.perform(exchange, grant, action);
    case 'hang':
      return await hang.perform(exchange, grant, action);
    case 'late-forward':
      return await lateForward.perform(exchange, grant, action);
    case 'slow-body':
      return await slowBody.perform(exchange, grant, action);
    case 'status':
      return await status.perform(exchange, grant, action);
    case 'truncate':
      return await truncate.perform(exchange, grant, action);
  }
};
