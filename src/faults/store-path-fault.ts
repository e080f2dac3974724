// Cutting brokers off from one path of the object store: the same three ways for the data path and for the log's path, on all of it by
// a proxy of connections, or for some of its requests by rules.
import { EnvironmentError } from '../errors.ts';
import { backendOf } from './backend-choice.ts';
import type { FaultContext, PreparedFault, ProbeClass, UndoRecord, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import type { OutageMode } from './fault-params.ts';
import { failsAs } from './link-effects.ts';
import { type LinkChange, prepareLinkFault } from './link-fault.ts';
import type { Outage } from './store-outage-params.ts';
import { prepareStoreRuleFault, type StoreRuleRequest } from './store-rule-fault.ts';
import { isSelective } from './store-rule-params.ts';
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

/** What a rule does in the place of a proxy of connections; nothing of the kind where connections are to be refused. */
const ACTIONS: Readonly<Partial<Record<OutageMode, StoreRuleRequest['action']>>> = {
  blackhole: { kind: 'hang' },
  reset: { kind: 'abort', afterBytes: 0, how: 'reset' },
};

export interface StoreOutage {
  readonly fault: UndoRecord['fault'];
  readonly path: 's3-data' | 's3-wal' | 'wal';
  readonly context: FaultContext;
  readonly selector: VictimSelector;
  readonly outage: Outage;
}

const byLinks = async (
  { fault, path, context, selector, outage: { mode } }: StoreOutage,
  signal: AbortSignal,
): Promise<PreparedFault> => {
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

const byRules = async (
  { fault, path, context, selector, outage }: StoreOutage,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const { mode, match, percent } = outage;
  const action = ACTIONS[mode];
  if (action === undefined || path === 'wal') {
    const why = path === 'wal' ? `the path ${path} carries no S3 requests` : 'it sees requests, not connections';
    throw new EnvironmentError(
      'FAULT_UNSUPPORTED',
      `${fault} with mode ${mode} is nothing for an S3 fault proxy: ${why}.`,
      {
        hint: 'Say mode: reset or blackhole on a path to the object store, or use a target with a link proxy there.',
      },
    );
  }
  const where = { path, match, percent };
  const effect = { classes: [PROMISED[mode]] };
  return await prepareStoreRuleFault({ fault, context, selector, where, action, effect }, signal);
};

/** By a proxy of connections where there is one and a whole path is meant; else by rules. */
export const prepareStoreOutage = async (request: StoreOutage, signal: AbortSignal): Promise<PreparedFault> => {
  const { path, context, outage } = request;
  const { objectStore, links, storeProxy } = context.target.can;
  requireCapability(objectStore, 'object store', context.target);
  const backend = backendOf(outage);
  const hasLink = links?.all.some((link) => link.path === path) === true;
  const isForRules = backend === 's3-proxy' || isSelective(outage) || (!hasLink && storeProxy !== undefined);
  return await (isForRules ? byRules : byLinks)(request, signal);
};
