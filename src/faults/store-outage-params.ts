// What an outage of a path to the store is asked for, and why some of it cannot be.
import type { OutageMode } from './fault-params.ts';
import { isSelective, matchProblem, type WhichRequests } from './store-rule-params.ts';

/** How a path goes away, and for which of its requests. */
export type Outage = WhichRequests & { readonly mode: OutageMode };

export const outageProblem = (outage: Outage): string | undefined =>
  outage.mode === 'refuse' && isSelective(outage)
    ? 'mode refuse is about connections, which are none of some requests only; with match or percent, say reset or blackhole.'
    : matchProblem(outage);
