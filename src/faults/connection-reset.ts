// Connections end with a reset.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';
import { durationField } from './unit-fields.ts';

export const connectionReset = {
  kind: 'connection-reset',
  summary: 'Resets connections as soon as an answer comes back on them.',
  recovery: 'healable',
  requires: ['links'],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'all'],
  duration: 'required',
  params: {
    after: durationField({ max: '10s' }).prefault('0ms'),
    path: z.enum(['client', 's3-data', 's3-wal']).prefault('client'),
  },
} satisfies FaultDeclaration;
