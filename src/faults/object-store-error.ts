// The object store answers errors in place of what it was asked for, to some requests or to all of them. A TCP proxy cannot do that:
// the connection stays well, and clients treat each status in their own way.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { matchProblem, STORE_RULE_PARAMS } from './store-rule-params.ts';

const params = {
  ...STORE_RULE_PARAMS,
  /** A client may take 404 for the truth about an object, and then tries no more. */
  status: z.literal([403, 404, 412, 500, 503]).prefault(503),
  /** S3's word in the error document; the usual one for the status where it is left out. */
  code: z
    .string()
    .regex(/^[A-Za-z]{1,100}$/u, 'Use a word of S3, like InternalError.')
    .exactOptional(),
};

export const objectStoreError = {
  kind: 'object-store-error',
  summary: 'Answers requests to the object store with an error, before the store hears of them.',
  recovery: 'healable',
  requires: ['objectStore', 'storeProxy'],
  paths: ({ path }) => [path],
  backends: ['s3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: matchProblem,
  prepare: async (context, selector, { status, code, ...where }, signal) => {
    const { prepareStoreAnswer } = await import('./store-answer-fault.ts');
    const action = { kind: 'status', status, ...(code !== undefined && { code }) } as const;
    return await prepareStoreAnswer({ fault: 'object-store-error', context, selector, where, action }, signal);
  },
} satisfies FaultDefinition<typeof params>;
