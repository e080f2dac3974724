// The twin of the lost answer: requests are lost before they arrive. To the sender it looks the same, and nothing took effect;
// a harness that calls such a record lost would be wrong too.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { LOSS_PATHS, linkChanges } from './fault-params.ts';
import { swallowRequests } from './toxics.ts';

const params = { path: z.enum(LOSS_PATHS).prefault('client') };

export const requestLoss = {
  kind: 'request-loss',
  summary: 'Loses requests before they arrive, so that they look like lost answers but took no effect.',
  recovery: 'healable',
  requires: ['links'],
  paths: ({ path }) => [path],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'all'],
  duration: 'required',
  params,
  changes: linkChanges,
  prepare: async (context, selector, { path }, signal) => {
    const { prepareLoss } = await import('./loss-fault.ts');
    const toxics = swallowRequests(toxicPrefix(context));
    return await prepareLoss(
      { fault: 'request-loss', context, selector, path, toxics, classes: ['timeout'], takesEffect: false },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
