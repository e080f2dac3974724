// Delaying what passes on one path: the same for the network between any two and for the object store.
import type { Link } from '../targets/target.ts';
import type { FaultContext, PreparedFault, UndoRecord, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { type Latency, latencyToxics, leastExtraMs, longestExtraMs, quickEnough } from './latency-plan.ts';
import { answersLater } from './link-effects.ts';
import { prepareLinkFault } from './link-fault.ts';
import { resolveLinkVictims } from './victim.ts';

export interface LatencyFault {
  readonly fault: UndoRecord['fault'];
  readonly context: FaultContext;
  readonly selector: VictimSelector;
  readonly path: Link['path'];
  readonly latency: Latency;
}

/** Throws a FaultError where the target has no links, or the victim cannot be told. */
export const prepareLatency = async (
  { fault, context, selector, path, latency }: LatencyFault,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const victims = await resolveLinkVictims(context, selector, signal);
  return await prepareLinkFault(
    {
      fault,
      context,
      victims,
      path,
      change: { enabled: true, toxics: latencyToxics(latency, toxicPrefix(context)) },
      effect: answersLater(leastExtraMs(latency), longestExtraMs(latency)),
      controlBound: quickEnough(latency),
    },
    signal,
  );
};
