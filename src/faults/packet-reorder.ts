// Some of the packets that a node sends overtake others, which are late. TCP puts them in order again, so that nothing but time may be
// lost by it.
import type { FaultDefinition } from './fault.ts';
import { PACKET_PARAMS } from './packet-params.ts';

const params = PACKET_PARAMS;

export const packetReorder = {
  kind: 'packet-reorder',
  summary:
    'Lets a share of the packets that a node’s container sends overtake the others, which are 20 ms late, for the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, own, signal) => {
    const { preparePacketFault } = await import('./packet-fault.ts');
    return await preparePacketFault('packet-reorder', context, selector, own, signal);
  },
} satisfies FaultDefinition<typeof params>;
