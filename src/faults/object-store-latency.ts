// A slow object store: uploads and cold reads take longer, and nothing may be lost, reordered or served short.
import type { FaultDefinition } from './fault.ts';
import { LATENCY_PARAMS, latencyProblem } from './latency-params.ts';

export const objectStoreLatency = {
  kind: 'object-store-latency',
  summary: 'Delays the answers of the object store on its data path; ends by cutting the delayed connections.',
  recovery: 'healable',
  requires: ['links', 'objectStore'],
  backends: ['toxiproxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params: LATENCY_PARAMS,
  problem: latencyProblem,
  prepare: async (context, selector, { latency: latencyMs, jitter: jitterMs }, signal) => {
    const { prepareLatency } = await import('./latency-fault.ts');
    const { requireCapability } = await import('./victim.ts');
    requireCapability(context.target.can.objectStore, 'object store', context.target);
    const latency = { latencyMs, jitterMs, directions: ['downstream'] } as const;
    return await prepareLatency({ fault: 'object-store-latency', context, selector, path: 's3-data', latency }, signal);
  },
} satisfies FaultDefinition<typeof LATENCY_PARAMS>;
