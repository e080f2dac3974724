// A link that carries less: answers or requests pass at a rate and pile up behind it, and nothing is lost or refused. The rate is
// of each connection by itself, so more connections carry more. Its end cuts the connections.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { linkChanges } from './fault-params.ts';
import { sizeField } from './unit-fields.ts';

const params = {
  /** Bytes a second of each connection. */
  rate: sizeField({ min: '1KB', max: '10MB' }),
  direction: z.enum(['downstream', 'upstream', 'both']).prefault('downstream'),
  path: z.enum(['client', 'internal', 'controller', 's3-data', 's3-wal', 'wal']).prefault('client'),
};

export const bandwidthLimit = {
  kind: 'bandwidth-limit',
  summary:
    'Limits how many bytes a second each connection carries between clients and brokers, or from brokers to the controller, the object store or each other; ends by cutting the limited connections.',
  recovery: 'healable',
  requires: ['links'],
  paths: ({ path }) => [path],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'all'],
  duration: 'required',
  params,
  changes: linkChanges,
  prepare: async (context, selector, { rate: bytesPerSecond, direction, path }, signal) => {
    const { prepareBandwidth } = await import('./bandwidth-fault.ts');
    const directions = direction === 'both' ? (['upstream', 'downstream'] as const) : [direction];
    return await prepareBandwidth(context, selector, path, { bytesPerSecond, directions }, signal);
  },
} satisfies FaultDefinition<typeof params>;
