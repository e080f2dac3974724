// Some of the packets that a node sends have a bit that is wrong. Their checksums tell, so that they are thrown away and sent again; a
// record that is changed and taken all the same is a violation.
import type { FaultDefinition } from './fault.ts';
import { PACKET_PARAMS } from './packet-params.ts';

const params = PACKET_PARAMS;

export const packetCorrupt = {
  kind: 'packet-corrupt',
  summary: 'Flips a bit in a share of the packets that a node’s container sends, for the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, own, signal) => {
    const { preparePacketFault } = await import('./packet-fault.ts');
    return await preparePacketFault('packet-corrupt', context, selector, own, signal);
  },
} satisfies FaultDefinition<typeof params>;
