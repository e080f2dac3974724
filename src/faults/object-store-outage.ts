// The data path of the object store is away for brokers: uploads and cold reads fail, while the write-ahead log still works.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { OUTAGE_MODES } from './fault-params.ts';

const params = { mode: z.enum(OUTAGE_MODES).prefault('refuse') };

export const objectStoreOutage = {
  kind: 'object-store-outage',
  summary: 'Cuts brokers off from the data path of the object store.',
  recovery: 'healable',
  requires: ['links', 'objectStore'],
  backends: ['toxiproxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params,
  prepare: async (context, selector, { mode }, signal) => {
    const { prepareStoreOutage } = await import('./store-path-fault.ts');
    return await prepareStoreOutage('object-store-outage', 's3-data', context, selector, mode, signal);
  },
} satisfies FaultDefinition<typeof params>;
