// Faults about which a writer is wrong: what it hears of its write to the object store is not what became of it. Canaries write
// through the endpoint and look for the object past every proxy.
import { systemClock } from '../clock.ts';
import type { PreparedFault, ProbeClass } from './fault.ts';
import { seenWithin } from './late-look.ts';
import type { StoreAnswer } from './store-canary.ts';
import { type Asked, prepareStoreRuleFault, type StoreRuleRequest } from './store-rule-fault.ts';

/** How long a write whose answer was lost is looked for. */
const AT_ONCE_MS = 1000;
/** Late writes of one endpoint that are waited for at a time. */
const MOST_AWAITED = 10;

/** When the store has what the writer believes that it has not. */
export type Committed = { readonly kind: 'at-once' } | { readonly kind: 'later'; readonly afterMs: number };

export interface StoreWriteFault extends Omit<StoreRuleRequest, 'effect' | 'usualOp' | 'question'> {
  /** What a writer is told. */
  readonly classes: readonly ProbeClass[];
  readonly committed: Committed;
}

const isStored = async ({ store, signal }: Asked, key: string): Promise<boolean> =>
  (await store.get(key, signal)) !== undefined;

const storedAtOnce = async ({ key }: StoreAnswer, asked: Asked): Promise<boolean> =>
  await seenWithin(systemClock, AT_ONCE_MS, async () => await isStored(asked, key), asked.signal);

/** Holds for an endpoint from when one of its writes was not there after its answer, and came later. */
const storedLater = (): ((answer: StoreAnswer, asked: Asked) => Promise<boolean>) => {
  const awaited = new Map<string, string[]>();
  const shown = new Set<string>();
  return async ({ key }, asked) => {
    const { listener } = asked.canary.endpoint;
    const keys = awaited.get(listener) ?? [];
    awaited.set(listener, keys);
    const [oldest] = keys;
    if (oldest !== undefined && (await isStored(asked, oldest))) {
      keys.shift();
      shown.add(listener);
    }
    if (keys.length < MOST_AWAITED && !(await isStored(asked, key))) keys.push(key);
    return shown.has(listener);
  };
};

export const prepareStoreWriteFault = async (
  { classes, committed, ...request }: StoreWriteFault,
  signal: AbortSignal,
): Promise<PreparedFault> =>
  await prepareStoreRuleFault(
    {
      ...request,
      usualOp: 'PutObject',
      question: 'PutObject',
      effect:
        committed.kind === 'at-once'
          ? { classes, holds: storedAtOnce }
          : { classes, holds: storedLater(), shownAfterMs: committed.afterMs },
    },
    signal,
  );
