// The data path of the object store is away.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';

export const objectStoreOutage = {
  kind: 'object-store-outage',
  summary: 'Cuts brokers off from the data path of the object store.',
  recovery: 'healable',
  requires: ['links', 'objectStore'],
  backends: ['toxiproxy'],
  victims: ['all', 'leaderOf', 'followerOf', 'broker', 'random'],
  defaultVictim: { kind: 'all' },
  duration: 'required',
  params: { mode: z.enum(['refuse', 'blackhole', 'reset']).prefault('refuse') },
} satisfies FaultDeclaration;
