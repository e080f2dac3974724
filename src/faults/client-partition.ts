// Clients cannot reach brokers that are well.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';

export const clientPartition = {
  kind: 'client-partition',
  summary: 'Cuts clients off from brokers: new and held connections are refused, or swallowed without an answer.',
  recovery: 'healable',
  requires: ['links'],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'all'],
  duration: 'required',
  params: { mode: z.enum(['refuse', 'blackhole']).prefault('refuse') },
} satisfies FaultDeclaration;
