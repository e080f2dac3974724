// Cutting brokers off from one path of the object store: the same three ways for the data path and for the log's path.
import type { FaultContext, PreparedFault, ProbeClass, UndoRecord, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import type { OutageMode } from './fault-params.ts';
import { failsAs } from './link-effects.ts';
import { type LinkChange, prepareLinkFault } from './link-fault.ts';
import { resetAtAnswer, swallowBoth } from './toxics.ts';
import { requireCapability, resolveLinkVictims } from './victim.ts';

const changeFor = (mode: OutageMode, prefix: string): LinkChange => {
  switch (mode) {
    case 'refuse':
      return { enabled: false, toxics: [] };
    case 'blackhole':
      return { enabled: true, toxics: swallowBoth(prefix) };
    case 'reset':
      return { enabled: true, toxics: resetAtAnswer(prefix, 0), bounce: true };
  }
};

const PROMISED: Readonly<Record<OutageMode, ProbeClass>> = {
  refuse: 'refused',
  blackhole: 'timeout',
  reset: 'reset',
};

export const prepareStoreOutage = async (
  fault: UndoRecord['fault'],
  path: 's3-data' | 's3-wal' | 'wal',
  context: FaultContext,
  selector: VictimSelector,
  mode: OutageMode,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  requireCapability(context.target.can.objectStore, 'object store', context.target);
  const victims = await resolveLinkVictims(context, selector, signal);
  return await prepareLinkFault(
    {
      fault,
      context,
      victims,
      path,
      change: changeFor(mode, toxicPrefix(context)),
      effect: failsAs([PROMISED[mode]], [PROMISED[mode]]),
    },
    signal,
  );
};
