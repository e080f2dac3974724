// The twin of the lost answer.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';

export const requestLoss = {
  kind: 'request-loss',
  summary: 'Loses requests before they arrive, so that they look like lost answers but took no effect.',
  recovery: 'healable',
  requires: ['links'],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'all'],
  duration: 'required',
  params: { path: z.enum(['client', 's3-data', 's3-wal']).prefault('client') },
} satisfies FaultDeclaration;
