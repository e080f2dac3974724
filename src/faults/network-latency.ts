// Every chunk arrives late.
import { z } from 'zod';
import type { FaultDeclaration } from './fault.ts';
import { durationField } from './unit-fields.ts';

export const networkLatency = {
  kind: 'network-latency',
  summary: 'Delays what passes between clients and brokers, or between brokers and the object store.',
  recovery: 'healable',
  requires: ['links'],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'broker', 'random', 'all'],
  duration: 'required',
  params: {
    latency: durationField({ min: '1ms', max: '60s' }),
    jitter: durationField({ max: '60s' }).prefault('0ms'),
    direction: z.enum(['downstream', 'upstream', 'both']).prefault('downstream'),
    path: z.enum(['client', 's3-data', 's3-wal']).prefault('client'),
  },
} satisfies FaultDeclaration;
