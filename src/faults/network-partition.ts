// Brokers that cannot reach each other, while clients reach all of them: bytes between the victims and everybody else vanish, in
// one direction or both. What is lost is told by silence only, as in a network that drops packets.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { swallowBoth } from './toxics.ts';

const params = {
  /** Seen from the victims: what they dial, what dials them, or both. */
  direction: z.enum(['both', 'outgoing', 'incoming']).prefault('both'),
  /** Whom they are cut off from. */
  from: z.enum(['brokers', 'controllers', 'everybody']).prefault('everybody'),
};

export const networkPartition = {
  kind: 'network-partition',
  summary:
    'Cuts brokers off from other brokers, from controllers, or from both, in one direction or in both; clients still reach them.',
  recovery: 'healable',
  requires: ['links'],
  paths: ({ from }) => {
    if (from === 'brokers') return ['internal'];
    return from === 'controllers' ? ['controller'] : ['internal', 'controller'];
  },
  backends: ['toxiproxy'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  duration: 'required',
  params,
  problem: ({ direction, from }) =>
    from === 'controllers' && direction === 'incoming'
      ? 'controllers dial no brokers, so nothing incoming could be cut; use outgoing or both.'
      : undefined,
  prepare: async (context, selector, { direction, from }, signal) => {
    const { failsAs } = await import('./link-effects.ts');
    const { prepareLinkFault } = await import('./link-fault.ts');
    const { linksAcross } = await import('./partition-links.ts');
    const { resolveLinkVictims } = await import('./victim.ts');
    const victims = await resolveLinkVictims(context, selector, signal);
    return await prepareLinkFault(
      {
        fault: 'network-partition',
        context,
        victims,
        path: 'internal',
        links: linksAcross(context.target, victims.nodes, direction, from),
        change: { enabled: true, toxics: swallowBoth(toxicPrefix(context)) },
        effect: failsAs(['timeout'], ['timeout']),
      },
      signal,
    );
  },
} satisfies FaultDefinition<typeof params>;
