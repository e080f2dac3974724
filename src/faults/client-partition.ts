// Clients cannot reach brokers that are well: refused at the door, or let in and never answered. Brokers, controller and store
// still reach each other, so leadership does not move.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { linkChanges } from './fault-params.ts';
import type { LinkChange } from './link-fault.ts';
import { swallowBoth } from './toxics.ts';

const SHUT = ['refused', 'eof', 'reset'] as const;

const params = { mode: z.enum(['refuse', 'blackhole']).prefault('refuse') };

export const clientPartition = {
  kind: 'client-partition',
  summary: 'Cuts clients off from brokers: new and held connections are refused, or swallowed without an answer.',
  recovery: 'healable',
  requires: ['links'],
  paths: () => ['client'],
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'all'],
  duration: 'required',
  params,
  changes: linkChanges,
  prepare: async (context, selector, { mode }, signal) => {
    const { failsAs } = await import('./link-effects.ts');
    const { prepareLinkFault } = await import('./link-fault.ts');
    const { resolveLinkVictims } = await import('./victim.ts');
    const victims = await resolveLinkVictims(context, selector, signal);
    const change: LinkChange =
      mode === 'refuse' ? { enabled: false, toxics: [] } : { enabled: true, toxics: swallowBoth(toxicPrefix(context)) };
    return await prepareLinkFault(
      {
        fault: 'client-partition',
        context,
        victims,
        path: 'client',
        change,
        // A container's published port still accepts when the proxy behind it is closed, and ends the connection at once.
        effect: mode === 'refuse' ? failsAs(SHUT, ['eof', 'reset']) : failsAs(['timeout'], ['timeout']),
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
