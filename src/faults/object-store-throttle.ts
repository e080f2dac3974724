// The object store says that it is asked too often: 503 SlowDown, and when to come back. Clients that take it for an error give up;
// those that take it for what it is wait, and what they were told to write waits with them.

import type { FaultDefinition } from './fault.ts';
import { matchProblem, STORE_RULE_PARAMS } from './store-rule-params.ts';
import { durationField } from './unit-fields.ts';

const params = {
  ...STORE_RULE_PARAMS,
  /** In whole seconds, as HTTP has it. */
  retryAfter: durationField({ max: '1h' }).prefault('1s'),
};

export const objectStoreThrottle = {
  kind: 'object-store-throttle',
  summary: 'Answers requests to the object store with 503 SlowDown and the time to wait before the next try.',
  recovery: 'healable',
  requires: ['objectStore', 'storeProxy'],
  paths: ({ path }) => [path],
  backends: ['s3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: ({ retryAfter, ...where }) =>
    retryAfter % 1000 === 0 ? matchProblem(where) : 'retryAfter must be whole seconds, like 2s.',
  prepare: async (context, selector, { retryAfter, ...where }, signal) => {
    const { prepareStoreAnswer } = await import('./store-answer-fault.ts');
    const action = { kind: 'status', status: 503, code: 'SlowDown', retryAfterSeconds: retryAfter / 1000 } as const;
    return await prepareStoreAnswer({ fault: 'object-store-throttle', context, selector, where, action }, signal);
  },
} satisfies FaultDefinition<typeof params>;
