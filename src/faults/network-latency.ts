// Answers or requests arrive late, and nothing else changes while it lasts: below the clients' timeouts no record may be lost or
// refused. Its end cuts the connections.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { linkChanges } from './fault-params.ts';
import { LATENCY_PARAMS, latencyProblem } from './latency-params.ts';

const params = {
  ...LATENCY_PARAMS,
  direction: z.enum(['downstream', 'upstream', 'both']).prefault('downstream'),
  path: z.enum(['client', 'internal', 'controller', 's3-data', 's3-wal', 'wal']).prefault('client'),
};

export const networkLatency = {
  kind: 'network-latency',
  summary:
    'Delays what passes between clients and brokers, or from brokers to the controller or the object store; ends by cutting the delayed connections.',
  recovery: 'healable',
  requires: ['links'],
  paths: ({ path }) => [path],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'all'],
  duration: 'required',
  params,
  problem: latencyProblem,
  changes: linkChanges,
  prepare: async (context, selector, { latency: latencyMs, jitter: jitterMs, direction, path }, signal) => {
    const { prepareLatency } = await import('./latency-fault.ts');
    const directions = direction === 'both' ? (['upstream', 'downstream'] as const) : [direction];
    return await prepareLatency(
      { fault: 'network-latency', context, selector, path, latency: { latencyMs, jitterMs, directions } },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
