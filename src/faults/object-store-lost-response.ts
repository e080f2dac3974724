// The ambiguous commit: the object store does what it was asked, and whoever asked never hears of it. A retry then finds its own work,
// and a client that takes that for somebody else's is wrong.
import { z } from 'zod';
import type { FaultDefinition, ProbeClass } from './fault.ts';
import { changeProblem, STORE_RULE_PARAMS } from './store-rule-params.ts';

const params = {
  ...STORE_RULE_PARAMS,
  /** What whoever waits for the answer sees. */
  how: z.enum(['reset', 'close', 'hang']).prefault('reset'),
  /** Loses so many answers about one key; 1 lets the retry through. */
  perKey: z.int().min(1).exactOptional(),
};

const ENDS: Readonly<Record<'reset' | 'close' | 'hang', readonly ProbeClass[]>> = {
  reset: ['reset'],
  close: ['eof', 'reset'],
  hang: ['timeout'],
};

export const objectStoreLostResponse = {
  kind: 'object-store-lost-response',
  summary: 'Lets writes to the object store through and loses the answers, after the store has done what it was asked.',
  recovery: 'healable',
  requires: ['objectStore', 'storeProxy'],
  paths: ({ path }) => [path],
  backends: ['s3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: changeProblem,
  prepare: async (context, selector, { how, perKey, ...where }, signal) => {
    const { prepareStoreWriteFault } = await import('./store-write-fault.ts');
    return await prepareStoreWriteFault(
      {
        fault: 'object-store-lost-response',
        context,
        selector,
        where,
        action: { kind: 'forward-then-drop', how },
        ...(perKey !== undefined && { perKey }),
        classes: ENDS[how],
        committed: { kind: 'at-once' },
        didSo: ({ upstream2xx, responseBytes }) => upstream2xx > 0 && responseBytes === 0,
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
