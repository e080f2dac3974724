// The ambiguous acknowledgement.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';

export const responseLoss = {
  kind: 'response-loss',
  summary: 'Lets requests through and loses the answers, so that nobody knows whether they took effect.',
  recovery: 'healable',
  requires: ['links'],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'all'],
  duration: 'required',
  params: {
    how: z.enum(['hang', 'close']).prefault('hang'),
    path: z.enum(['client', 's3-data', 's3-wal']).prefault('client'),
  },
} satisfies FaultDeclaration;
