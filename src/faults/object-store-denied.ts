// Brokers' credentials are withdrawn: the object store answers 403 AccessDenied to what they ask. No retry helps until they are given
// back, and a client that takes a denial for the truth about an object has lost it.
import type { FaultDefinition } from './fault.ts';
import { matchProblem, STORE_RULE_PARAMS } from './store-rule-params.ts';

export const objectStoreDenied = {
  kind: 'object-store-denied',
  summary: 'Answers requests to the object store with 403 AccessDenied, as if credentials had been withdrawn.',
  recovery: 'healable',
  requires: ['objectStore', 'storeProxy'],
  paths: ({ path }) => [path],
  backends: ['s3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params: STORE_RULE_PARAMS,
  problem: matchProblem,
  prepare: async (context, selector, where, signal) => {
    const { prepareStoreAnswer } = await import('./store-answer-fault.ts');
    const action = { kind: 'status', status: 403, code: 'AccessDenied' } as const;
    return await prepareStoreAnswer({ fault: 'object-store-denied', context, selector, where, action }, signal);
  },
} satisfies FaultDefinition<typeof STORE_RULE_PARAMS>;
