// Uploads crawl: the object store gets the bodies of requests at a rate, whatever it or the network could do. An attempt times out while it is
// still being sent, is tried again, and both may be committed.
import type { FaultDefinition } from './fault.ts';
import { STORE_RULE_PARAMS, uploadProblem } from './store-rule-params.ts';
import { sizeField } from './unit-fields.ts';

const KIB = 1024;
/** How long the canary's own upload takes at that rate. */
const CANARY_MS = 600;
/** Of which so much must be seen. */
const SHARE = 0.8;

const params = {
  ...STORE_RULE_PARAMS,
  /** A second, for each request by itself. */
  rate: sizeField({ min: '1KiB', max: '1MiB' }),
};

export const objectStoreSlowBody = {
  kind: 'object-store-slow-body',
  summary: 'Passes what is uploaded to the object store on at a rate, each request by itself.',
  recovery: 'healable',
  requires: ['objectStore', 'storeProxy'],
  paths: ({ path }) => [path],
  backends: ['s3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: uploadProblem,
  prepare: async (context, selector, { rate, ...where }, signal) => {
    const { prepareStoreRuleFault } = await import('./store-rule-fault.ts');
    return await prepareStoreRuleFault(
      {
        fault: 'object-store-slow-body',
        context,
        selector,
        where,
        usualOp: 'PutObject',
        question: 'PutObject',
        action: { kind: 'slow-body', rateKiBPerSecond: rate / KIB },
        effect: {
          classes: ['ok'],
          holds: ({ ms }, { baseline }) => ms >= baseline.medianMs + SHARE * CANARY_MS,
          longestMs: CANARY_MS,
          body: Buffer.alloc(Math.ceil((rate * CANARY_MS) / 1000), 'x'),
        },
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
