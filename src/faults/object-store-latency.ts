// A slow object store: uploads and cold reads take longer, and nothing may be lost, reordered or served short.
import { backendOf } from './backend-choice.ts';
import type { FaultDefinition } from './fault.ts';
import { LATENCY_PARAMS, latencyProblem } from './latency-params.ts';
import { backendProblem, isSelective, matchProblem, WHICH_REQUESTS } from './store-rule-params.ts';

const params = { ...LATENCY_PARAMS, ...WHICH_REQUESTS };

export const objectStoreLatency = {
  kind: 'object-store-latency',
  summary:
    'Delays the answers of the object store on its data path, all of them or some; ends by cutting the delayed connections.',
  recovery: 'healable',
  requires: ['objectStore'],
  requiresOneOf: ['links', 'storeProxy'],
  backends: ['toxiproxy', 's3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: (given) => {
    if (given.jitter > 0 && isSelective(given))
      return 'jitter is none of single requests; leave it out with match or percent.';
    return latencyProblem(given) ?? matchProblem(given);
  },
  mismatch: (_, given) => backendProblem(given),
  prepare: async (context, selector, given, signal) => {
    const { latency: latencyMs, jitter: jitterMs, match, percent } = given;
    const { prepareLatency } = await import('./latency-fault.ts');
    const { requireCapability } = await import('./victim.ts');
    const { links, objectStore, storeProxy } = context.target.can;
    requireCapability(objectStore, 'object store', context.target);
    const hasLink = links?.all.some(({ path }) => path === 's3-data') === true;
    if (backendOf(given) === 's3-proxy' || isSelective(given) || (!hasLink && storeProxy !== undefined)) {
      const { prepareStoreRuleFault } = await import('./store-rule-fault.ts');
      return await prepareStoreRuleFault(
        {
          fault: 'object-store-latency',
          context,
          selector,
          where: { path: 's3-data', match, percent },
          action: { kind: 'delay', afterMs: latencyMs },
          effect: {
            classes: ['ok'],
            holds: ({ ms }, { baseline }) => ms >= baseline.medianMs + latencyMs,
            longestMs: latencyMs,
          },
        },
        signal,
      );
    }
    const latency = { latencyMs, jitterMs, directions: ['downstream'] } as const;
    return await prepareLatency({ fault: 'object-store-latency', context, selector, path: 's3-data', latency }, signal);
  },
} satisfies FaultDefinition<typeof params>;
