// Some of the packets that a node sends are lost: it is asked for again what had come long ago, and the slower its peers notice, the
// later they have it.
import type { FaultDefinition } from './fault.ts';
import { PACKET_PARAMS } from './packet-params.ts';

const params = PACKET_PARAMS;

export const packetLoss = {
  kind: 'packet-loss',
  summary: 'Loses a share of the packets that a node’s container sends, for the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, own, signal) => {
    const { preparePacketFault } = await import('./packet-fault.ts');
    return await preparePacketFault('packet-loss', context, selector, own, signal);
  },
} satisfies FaultDefinition<typeof params>;
