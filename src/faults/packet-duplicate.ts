// Some of the packets that a node sends come twice. TCP takes each only once, so that nothing may come of it.
import type { FaultDefinition } from './fault.ts';
import { PACKET_PARAMS } from './packet-params.ts';

const params = PACKET_PARAMS;

export const packetDuplicate = {
  kind: 'packet-duplicate',
  summary: 'Sends a share of the packets of a node’s container twice, for the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, own, signal) => {
    const { preparePacketFault } = await import('./packet-fault.ts');
    return await preparePacketFault('packet-duplicate', context, selector, own, signal);
  },
} satisfies FaultDefinition<typeof params>;
