// The data path of the object store is away for brokers: uploads and cold reads fail, while the write-ahead log still works.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { OUTAGE_MODES } from './fault-params.ts';
import { outageProblem } from './store-outage-params.ts';
import { backendProblem, WHICH_REQUESTS } from './store-rule-params.ts';

const params = { mode: z.enum(OUTAGE_MODES).prefault('refuse'), ...WHICH_REQUESTS };

export const objectStoreOutage = {
  kind: 'object-store-outage',
  summary:
    'Cuts brokers off from the data path of the object store, or takes away what some of their requests are answered.',
  recovery: 'healable',
  requires: ['objectStore'],
  requiresOneOf: ['links', 'storeProxy'],
  backends: ['toxiproxy', 's3-proxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  problem: outageProblem,
  mismatch: (_, which) => backendProblem(which),
  prepare: async (context, selector, outage, signal) => {
    const { prepareStoreOutage } = await import('./store-path-fault.ts');
    return await prepareStoreOutage(
      { fault: 'object-store-outage', path: 's3-data', context, selector, outage },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
