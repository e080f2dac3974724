// What a rule can do to a request it has been let loose on.
import type { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Grant } from '../grant.ts';

export interface Action<S extends z.ZodType<{ readonly kind: string }>> {
  readonly schema: S;
  /** Deals with the request to its end. It says `grant.act()` when the request is treated otherwise than without the rule. */
  perform(exchange: Exchange, grant: Grant, params: z.infer<S>): Promise<void>;
}

/** Names the types of an action by its schema. */
export const defineAction = <S extends z.ZodType<{ readonly kind: string }>>(action: Action<S>): Action<S> => action;

/** Delays and the like: a rule lives for a day at most. */
export const MOST_MS = 24 * 3_600_000;
